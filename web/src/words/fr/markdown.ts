import { type Words } from '../en/index.js'

export const markdown: Words['markdown'] = {
  code: 'Code',
  codeIn: (language) => `Code : ${language}`,
  download: 'Télécharger',
  wrap: 'Couper les lignes',
  table: 'Tableau',
  footnotes: 'Notes de bas de page',
  footnote: (label) => `Note ${label}`,
  backToText: 'Revenir au texte',
  done: 'Fait',
  notDone: 'À faire',
  image: (name) => `Image : ${name}`,
  tooDeep: 'Trop long ou trop imbriqué pour être mis en forme : affiché tel quel.'
}
