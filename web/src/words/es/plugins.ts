import { type Words } from '../en/index.js'

const of = (count: number, one: string, more: string): string => count === 0 ? '' : `${count} ${count === 1 ? one : more}`

export const plugins: Words['plugins'] = {
  note: 'Un plugin es una carpeta con comandos, skills y servidores MCP, organizada como en Claude Code. Ponla en esta carpeta del perfil:',
  none: 'Aún no hay plugins.',
  on: 'Activado',
  off: 'Desactivado',
  changed: 'Cambiado',
  changedNote: 'Sus archivos han cambiado desde que lo activaste. La versión anterior sigue en uso hasta que revises la nueva.',
  look: 'Revisar y activar',
  lookAgain: 'Revisar los cambios',
  switchOn: 'Activar',
  useNew: 'Usar la versión nueva',
  switchOff: 'Desactivar',
  isOn: (name) => `«${name}» está activado.`,
  isOff: (name) => `«${name}» está desactivado.`,
  by: (author, version) =>
    [version === '' ? '' : `Versión ${version}`, author === '' ? '' : `de ${author}`].filter((part) => part !== '').join(' '),
  counts: (commands, skills, servers) =>
    [of(commands, 'comando', 'comandos'), of(skills, 'skill', 'skills'), of(servers, 'servidor MCP', 'servidores MCP')].filter((part) => part !== '').join(' · '),
  contents: 'Contenido',
  commands: 'Comandos',
  skills: 'Skills',
  servers: 'Servidores MCP',
  runs: 'inicia en este equipo:',
  asks: 'se conecta a:',
  sandboxed: 'en un sandbox',
  variables: (names) => `Recibe estos valores del .env del perfil: ${names}`,
  nothing: 'No contiene nada que use este servicio.',
  unused: (names) => `No se usa aquí: ${names}`,
  files: (count) => count === 1 ? '1 archivo' : `${count} archivos`,
  moreFiles: (count) => `${count} archivos más no se listan.`,
  changes: { added: 'nuevo', changed: 'cambiado', removed: 'eliminado' },
  executable: 'programa',
  gone: 'El archivo ya no existe.',
  trust: 'El modelo lee lo que contiene un plugin, y sus servidores se ejecutan con tus permisos. Activa solo plugins en los que confíes.'
}
