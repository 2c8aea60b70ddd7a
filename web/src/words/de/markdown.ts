import { type Words } from '../en/index.js'

export const markdown: Words['markdown'] = {
  code: 'Code',
  codeIn: (language) => `Code: ${language}`,
  download: 'Herunterladen',
  wrap: 'Zeilen umbrechen',
  table: 'Tabelle',
  footnotes: 'Fußnoten',
  footnote: (label) => `Fußnote ${label}`,
  backToText: 'Zurück zum Text',
  done: 'Erledigt',
  notDone: 'Nicht erledigt',
  image: (name) => `Bild: ${name}`,
  tooDeep: 'Zu lang oder zu tief, um gesetzt zu werden: so gezeigt, wie es ist.'
}
