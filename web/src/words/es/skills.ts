import { type Words } from '../en/index.js'

const number = new Intl.NumberFormat('es')

export const skills: Words['skills'] = {
  create: 'Skill nueva',
  createNote: 'Instrucciones para un tipo de trabajo. El agente las lee cuando surge ese trabajo o cuando escribes el comando.',
  empty: 'Aún no hay skills',
  emptyText: 'Una skill le dice al agente cómo quieres que haga un tipo de trabajo. La escribes una sola vez.',
  noOwn: 'Aún no tienes skills propias.',
  exampleButton: (name) => `Prueba una: ${name}`,
  example: {
    name: 'commit-style', description: 'Cómo se escriben aquí los commits',
    body: '# Commits\n\n- Un cambio por commit.\n- La primera línea dice qué mejora para quien lo usa, en 72 caracteres como máximo.'
  },
  search: 'Buscar skills',
  noMatch: 'Ninguna skill coincide.',
  bundles: 'Paquetes',
  noBundles: 'No hay paquetes. Un paquete reúne varias skills en un comando. Es un archivo en la carpeta de paquetes del perfil.',
  bundled: (count) => count === 1 ? '1 skill' : `${count} skills`,
  commands: 'Comandos',
  searchCommands: 'Buscar comandos',
  noCommand: 'Ningún comando coincide.',
  origins: { profile: 'propia', external: 'carpeta compartida', plugin: 'plugin', claude: '~/.claude', shipped: 'incluida' },
  uses: (count) => count === 1 ? 'usada una vez' : `usada ${number.format(count)} veces`,
  shadows: (origins) => `Sustituye a una skill con el mismo nombre (${origins}).`,
  isOn: (name) => `Activar ${name}`,
  off: 'desactivada',
  edit: 'Editar',
  changeCopy: 'Editar una copia',
  view: 'Vista',
  views: { write: 'Escribir', read: 'Leer', source: 'Código' },
  inSource: 'Su descripción ocupa varias líneas. Edítala en el código.',
  purpose: '¿Qué debe saber hacer?',
  purposePlaceholder: 'Redactar notas de versión a partir de los commits desde la última etiqueta',
  purposeHint: 'El agente lee la skill cuando tu petición trata de esto.',
  how: '¿Cómo debe hacerse?',
  howPlaceholder: '1. Mira los commits desde la última etiqueta.\n2. Agrúpalos por lo que notan los usuarios.',
  letAgent: 'Que la escriba el agente',
  askAgent: (purpose, body) =>
    `Escribe una skill para esto y guárdala con tu herramienta de skills: ${purpose}${body === '' ? '' : `\n\nSigue estas notas:\n\n${body}`}`,
  text: 'Código',
  name: 'Nombre',
  category: 'Categoría',
  saved: (name) => `«${name}» se ha guardado.`,
  deleted: (name) => `«${name}» se ha eliminado.`,
  deleteFiles: 'Los archivos que la acompañan también se eliminan y no se pueden restaurar.',
  conflict: 'Alguien más cambió esta skill. Tus ediciones siguen aquí.',
  keepMine: 'Guardar la mía',
  takeTheirs: 'Usar la otra',
  theirs: 'Versión actual'
}
