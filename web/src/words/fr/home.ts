import { type Words } from '../en/index.js'

const counted = (count: number, one: string, many: string): string => `${count} ${count < 2 ? one : many}`

export const home: Words['home'] = {
  greeting: (hour) => hour < 5 ? 'Bonsoir.' : hour < 18 ? 'Bonjour.' : 'Bonsoir.',
  since: 'En votre absence :',
  waiting: (count) => `${count} en attente`,
  finished: (count) => counted(count, 'terminé', 'terminés'),
  filesChanged: (count) => counted(count, 'fichier modifié', 'fichiers modifiés'),
  between: ', ',
  end: '.',
  quiet: 'Tout est calme. Sur quoi travaillons-nous ?',
  ask: 'Sur quoi travaillons-nous ?',
  temporary: 'Discussion temporaire'
}

/** Texts below the composer on the start page. */
export const homeRows: Words['homeRows'] = {
  waiting: 'Vous attend',
  finished: 'Terminé',
  now: 'En cours',
  markSeen: 'Tout marquer comme vu',
  showAll: (count) => `Tout afficher (${count})`,
  states: { done: 'terminé', failed: 'en échec', stopped: 'arrêté' },
  failedTask: 'Tâche en échec',
  files: (count) => counted(count, 'fichier', 'fichiers'),
  queued: (count) => `${counted(count, 'exécution', 'exécutions')} en file d’attente`,
  review: 'Relire',
  answer: 'Répondre',
  open: 'Ouvrir',
  tryOne: 'Par exemple',
  examples: [
    'Montre-moi ce qu’il y a dans ce dossier, et à quoi sert chaque partie.',
    'Trouve ici quelque chose qui pourrait être plus simple, et montre-moi la modification avant de la faire.',
    'Chaque matin en semaine, dis-moi en dix lignes ce qui a changé depuis la veille.'
  ]
}
