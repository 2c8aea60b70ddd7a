import { type Words } from '../en/index.js'

export const markdown: Words['markdown'] = {
  code: 'Código',
  codeIn: (language) => `Código: ${language}`,
  download: 'Descargar',
  wrap: 'Ajustar líneas',
  table: 'Tabla',
  footnotes: 'Notas al pie',
  footnote: (label) => `Nota al pie ${label}`,
  backToText: 'Volver al texto',
  done: 'Hecho',
  notDone: 'Sin hacer',
  image: (name) => `Imagen: ${name}`,
  tooDeep: 'Demasiado largo o profundo para darle formato: se muestra tal cual.'
}
