import { type Words } from '../en/index.js'

export const ui: Words['ui'] = {
  working: 'Trabajando',
  showAll: (lines) => `Mostrar las ${lines.toLocaleString('es')} líneas`,
  showLess: 'Mostrar menos',
  screenFailed: 'Esta pantalla ha fallado. Recárgala; lo que has escrito en los chats se conserva.',
  partMissing: 'No se pudo cargar esta parte de la app.',
  partOfBefore: 'La app se ha actualizado. Recarga para continuar. Lo que has escrito en los chats se conserva.',
  notifications: 'Avisos de la app',
  dismiss: 'Descartar',
  resize: 'Cambiar el tamaño',
  optional: 'opcional',
  context: (percent) => `Contexto: ${percent} % usado`,
  copyFailed: 'No se pudo copiar el texto. Selecciónalo y cópialo a mano.',
  asTable: 'Mostrar como tabla'
}
