import { type Words } from '../en/index.js'

export const ui: Words['ui'] = {
  working: 'En cours',
  showAll: (lines) => `Afficher les ${lines.toLocaleString('fr')} lignes`,
  showLess: 'Afficher moins',
  screenFailed: 'Cet écran a planté. Rechargez-le ; ce que vous avez écrit dans les discussions est conservé.',
  partMissing: 'Cette partie de l’app n’a pas pu être chargée.',
  partOfBefore: 'L’app a été mise à jour. Rechargez pour continuer. Ce que vous avez écrit dans les discussions est conservé.',
  notifications: 'Messages de l’app',
  dismiss: 'Fermer',
  resize: 'Redimensionner',
  optional: 'facultatif',
  context: (percent) => `Contexte : ${percent} % utilisé`,
  copyFailed: 'Le texte n’a pas pu être copié. Sélectionnez-le et copiez-le vous-même.',
  asTable: 'Afficher en tableau'
}
