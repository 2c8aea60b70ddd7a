import { type Words } from '../en/index.js'

export const diff: Words['diff'] = {
  comment: 'Commenter',
  commentOn: (line) => `Commenter la ligne ${line}`,
  revert: 'Annuler',
  added: 'Ajouté',
  removed: 'Supprimé',
  counts: (added, removed) => `${added} ajoutées, ${removed} supprimées`,
  unchanged: (lines) => lines === 1 ? '1 ligne inchangée' : `${lines.toLocaleString('fr')} lignes inchangées`,
  created: 'nouveau',
  deleted: 'supprimé',
  renamed: (from) => `était ${from}`,
  before: 'Avant',
  after: 'Après',
  pixels: (width, height) => `${width} × ${height} px`,
  noPicture: 'Cette image ne peut pas être affichée.',
  binary: 'Fichier binaire : son contenu ne peut pas être affiché.',
  ofDocument: 'Le texte du document :',
  sameDocument: 'Le texte du document est le même. Autre chose a changé dans le fichier, comme la mise en page.',
  noDocument: 'Le texte de ce document ne peut pas être lu.',
  otherDocument: 'Les deux versions ont trop peu en commun pour être comparées.',
  noChange: 'Rien n’a changé.',
  noNewline: 'Pas de saut de ligne à la fin',
  truncated: 'Le reste de cette modification est trop long pour être affiché.'
}
