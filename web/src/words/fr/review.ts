import { type Words } from '../en/index.js'

const counted = (count: number): string => `${count} ${count < 2 ? 'commentaire' : 'commentaires'}`

export const review: Words['review'] = {
  title: 'Relecture',
  sentTitle: (count) => `Relecture avec ${count === 1 ? '1 commentaire' : `${count} commentaires`}`,
  asSent: 'Tel que l’agent le lit',
  label: (line, end) => line === end ? `Commentaire sur la ligne ${line}` : `Commentaire sur les lignes ${line} à ${end}`,
  hint: 'Que doit modifier ou expliquer l’agent ?',
  add: 'Ajouter à la relecture',
  count: (count) => counted(count),
  send: (count) => `Envoyer ${counted(count)}`,
  sent: 'Relecture envoyée.',
  queued: 'Relecture en file d’attente. L’agent la recevra après ce tour.',
  commentOn: (name, line) => `Commentaire sur ${name}, ligne ${line}`,
  actions: 'Actions pour ce commentaire',
  show: 'Afficher les lignes',
  edit: 'Modifier',
  resolve: 'Résoudre',
  reopen: 'Rouvrir',
  remove: 'Retirer',
  removed: 'Commentaire retiré.',
  answer: 'Réponse de l’agent',
  gone: 'lignes introuvables',
  found: { moved: 'déplacé', changed: 'lignes modifiées', deleted: 'lignes supprimées' },
  states: { draft: 'Brouillon', sent: 'Envoyé', changed: 'Modifié', answered: 'Répondu', open: 'Toujours ouvert', resolved: 'Résolu' },
  see: 'Marquer comme vu',
  unsee: 'Marquer comme non vu',
  seen: 'Vu'
}
