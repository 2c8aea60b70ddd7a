import { dollarsIn } from '../dollars.js'
import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'

const dollars = dollarsIn('fr', 0.01)
const number = formatter(() => new Intl.NumberFormat('fr', { notation: 'compact', maximumFractionDigits: 1 }))
const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count < 2 ? one : many}`

export const attempts: Words['attempts'] = {
  none: 'Aucun essai pour l’instant',
  noneText: 'Écrivez une tâche dans une discussion et choisissez « Essayer plusieurs fois » dans le menu à côté. Chaque essai travaille dans sa propre copie.',
  all: 'Tous les essais',
  gone: 'Ces essais n’existent plus.',
  count: (count) => counted(count, 'essai'),
  carried: 'Chacun est parti de vos modifications non commitées.',
  begin: {
    title: 'Essayer plusieurs fois',
    note: 'La même tâche est faite plusieurs fois, chacune dans son worktree git et sa discussion. Vous comparez les résultats et en gardez un.',
    noTask: 'Écrivez d’abord la tâche.',
    count: 'Nombre d’essais',
    models: 'Modèles, à tour de rôle',
    addModel: 'Ajouter un modèle',
    removeModel: (name) => `Retirer ${name}`,
    more: 'Vérification, relecture et budget',
    check: 'Vérification',
    checkHint: 'Une commande exécutée dans chaque résultat, par exemple npm test. Elle s’exécute sans vous demander, aussi confinée que les commandes de l’agent ; ce que git ignore, comme les paquets installés, n’est pas dans le worktree.',
    reviewer: 'Relecteur',
    noReviewer: 'Aucun',
    budget: 'Budget en dollars US',
    budgetHint: 'Pour tous les essais ensemble ; une fois épuisé, ils s’arrêtent.',
    go: (count) => `Lancer ${counted(count, 'essai')}`
  },
  columns: { attempt: 'Essai', state: 'État', check: 'Vérification', changes: 'Modifications', cost: 'Coût', tokens: 'Tokens', time: 'Durée' },
  name: (position, model) => model === null ? `Essai ${position}` : `${position} · ${model}`,
  states: {
    waiting: 'En attente', running: 'En cours', checking: 'Vérification', reviewing: 'En relecture', done: 'Terminé', failed: 'En échec',
    cancelled: 'Arrêté', stopped: 'Budget épuisé'
  },
  waitsForYou: 'Vous attend',
  passed: 'Réussie',
  failed: 'En échec',
  noCheck: '–',
  files: (count) => counted(count, 'fichier'),
  noChange: 'Aucune modification',
  cost: (amount) => amount === null || amount === 0 ? '–' : dollars(amount),
  tokens: (count) => number.format(count),
  tokensUsed: (count) => `${count} tokens`,
  best: 'Préféré par le juge',
  isTaken: 'Repris',
  judging: 'Le juge les compare…',
  judge: 'Juge',
  review: 'Relecture',
  checkOutput: 'Sortie de la vérification',
  answer: 'Réponse',
  changes: 'Modifications',
  openChat: 'Ouvrir la discussion',
  take: 'Reprendre',
  takeTitle: 'Reprendre cet essai ?',
  takeNote: (files, folder) => `Ses modifications dans ${counted(files, 'fichier')} sont appliquées à ${folder}. Ce qui y a changé depuis est conservé. Vous pouvez annuler pendant une semaine.`,
  took: (files) => `Repris : ${counted(files, 'fichier modifié', 'fichiers modifiés')}.`,
  takeFile: 'Reprendre le fichier',
  takeHunk: 'Reprendre le bloc',
  undo: 'Annuler',
  undone: (files) => `Annulé : ${counted(files, 'fichier modifié', 'fichiers modifiés')}.`,
  stop: 'Tout arrêter',
  remove: 'Supprimer les worktrees',
  removeTitle: 'Supprimer les worktrees ?',
  removeNote: 'Les modifications que vous n’avez pas reprises et qui ne sont pas commitées sont perdues. Les discussions restent.',
  removed: 'Worktrees supprimés.',
  noWorktree: 'Son worktree a été supprimé.',
  kept: (when) => `Les worktrees seront supprimés ${when}.`,
  budget: (used, limit) => `${used} utilisés sur ${limit}`,
  binary: 'Fichier binaire'
}
