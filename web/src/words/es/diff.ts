import { type Words } from '../en/index.js'

export const diff: Words['diff'] = {
  comment: 'Comentar',
  commentOn: (line) => `Comentar la línea ${line}`,
  revert: 'Revertir',
  added: 'Añadidas',
  removed: 'Eliminadas',
  counts: (added, removed) => `${added} añadidas, ${removed} eliminadas`,
  unchanged: (lines) => lines === 1 ? '1 línea sin cambios' : `${lines.toLocaleString('es')} líneas sin cambios`,
  created: 'nuevo',
  deleted: 'eliminado',
  renamed: (from) => `antes ${from}`,
  before: 'Antes',
  after: 'Después',
  pixels: (width, height) => `${width} × ${height} px`,
  noPicture: 'Esta imagen no se puede mostrar.',
  binary: 'Archivo binario: no se puede mostrar su contenido.',
  ofDocument: 'El texto del documento:',
  sameDocument: 'El texto del documento es el mismo. Ha cambiado otra cosa en el archivo, como el diseño.',
  noDocument: 'No se puede leer el texto de este documento.',
  otherDocument: 'Las dos versiones tienen demasiado poco en común para compararlas.',
  noChange: 'No hay cambios.',
  noNewline: 'Sin salto de línea al final',
  truncated: 'El resto de este cambio es demasiado largo para mostrarlo.'
}
