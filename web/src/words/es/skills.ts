import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'

const number = formatter(() => new Intl.NumberFormat('es'))

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
  categories: {
    Info: 'Información', Session: 'Chat', Conversation: 'Conversación', Configuration: 'Ajustes', Commands: 'Comandos', Workspace: 'Carpeta', Plugin: 'Plugins', development: 'Desarrollo', writing: 'Escritura'
  },
  shipped: {
    'Review a change, a branch or a file for faults that matter, each with a place, a consequence and a proposal.':
      'Revisa un cambio, una rama o un archivo y señala los fallos que importan: dónde están, qué causan y cómo corregirlos.',
    'Write a commit message for staged or recent changes that tells a later reader what changed and why.':
      'Escribe un mensaje de commit que explica a quien lo lea más tarde qué cambió y por qué.',
    'Find the cause of a fault by evidence and mend it at its root.':
      'Encuentra la causa de un fallo a partir de pruebas y lo corrige de raíz.',
    'Write tests that fail when a promise of the code is broken and only then.':
      'Escribe tests que fallan cuando el código incumple una promesa, y solo entonces.',
    'Summarise a document, article, transcript or thread faithfully, for a reader who has to decide or act.':
      'Resume fielmente un documento, un artículo, una transcripción o una conversación, para quien tiene que decidir o actuar.'
  },
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
  more: 'Más',
  importButton: 'Importar…',
  exportOne: 'Exportar',
  exportOwn: (count) => count === 1 ? 'Exportar tu skill' : `Exportar tus ${number.format(count)} skills`,
  importTitle: 'Importar skills',
  importNote: 'Desde un archivo zip o tar, o desde una carpeta, como la carpeta de skills de otro agente. Ves lo que contiene antes de que se guarde nada.',
  importReview: 'Todavía no se ha guardado nada. Importa solo skills de confianza: el agente sigue sus instrucciones y puede ejecutar sus scripts.',
  chooseArchive: 'Elegir un archivo…',
  chooseFolder: 'Elegir una carpeta…',
  uploadFailed: 'La subida falló: se perdió la conexión, o los archivos son más grandes de lo que el servicio acepta.',
  importCount: (count) => count === 1 ? 'Importar 1 skill' : `Importar ${number.format(count)} skills`,
  imported: (names) => `Importado: ${names}`,
  otherFiles: (count) => count === 1 ? 'Otro archivo no pertenece a ninguna skill.' : `Otros ${number.format(count)} archivos no pertenecen a ninguna skill.`,
  scripts: (count) => count === 1 ? 'un script' : `${number.format(count)} scripts`,
  files: (count) => count === 1 ? '1 archivo' : `${number.format(count)} archivos`,
  executable: 'ejecutable',
  script: 'script',
  cannotImport: 'No se puede importar:',
  hasSame: 'Ya tienes esta skill, con los mismos archivos.',
  hasOther: 'Tienes una skill con este nombre, con otros archivos.',
  choiceFor: (name) => `Qué hacer con ${name}`,
  choiceMissing: 'Elige qué hacer con ella.',
  choices: {
    ask: 'Elegir…', take: 'Importar', replace: 'Reemplazar la mía', keep_both: 'Conservar ambas', skip: 'Omitir'
  },
  saved: (name) => `«${name}» se ha guardado.`,
  deleted: (name) => `«${name}» se ha eliminado.`,
  deleteFiles: 'Los archivos que la acompañan también se eliminan y no se pueden restaurar.',
  conflict: 'Alguien más cambió esta skill. Tus ediciones siguen aquí.',
  keepMine: 'Guardar la mía',
  takeTheirs: 'Usar la otra',
  theirs: 'Versión actual'
}
