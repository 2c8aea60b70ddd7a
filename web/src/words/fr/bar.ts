import { dollarsIn } from '../dollars.js'
import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'

const compact = formatter(() => new Intl.NumberFormat('fr', { notation: 'compact', maximumFractionDigits: 1 }))

export const bar: Words['bar'] = {
  more: {
    label: 'Ajouter des fichiers et plus',
    goal: { text: 'Poursuivre un objectif', note: 'L’agent enchaîne les tours jusqu’à atteindre l’objectif.' },
    btw: { text: 'Poser une question à part', note: 'La réponse rapide n’entre pas dans la discussion.' },
    background: { text: 'Exécuter en arrière-plan', note: 'Une tâche séparée. Vous pouvez continuer ici.' },
    attempts: { text: 'Essayer plusieurs fois…', note: 'La même tâche dans plusieurs worktrees ; vous gardez le meilleur résultat.' },
    worktree: { text: 'Travailler dans un worktree git', note: 'La nouvelle discussion a sa propre copie du dépôt, sur une nouvelle branche.' },
    all: 'Toutes les commandes'
  },
  getKey: 'Obtenir une clé…',
  effortTitle: 'Effort de raisonnement',
  effort: (effort) => ({
    '': 'Effort normal', none: 'Sans raisonnement', minimal: 'Minimal', low: 'Faible', medium: 'Moyen', high: 'Élevé', xhigh: 'Très élevé',
    max: 'Maximal'
  }[effort] ?? effort),
  effortBrief: (effort) => ({
    '': 'normal', none: 'aucun', minimal: 'minimal', low: 'faible', medium: 'moyen', high: 'élevé', xhigh: 'très élevé', max: 'maximal'
  }[effort] ?? effort),
  effortSet: (effort) => `Effort de raisonnement : ${effort}`,
  personality: 'Personnalité',
  noPersonality: 'Aucune personnalité',
  scopes: { turn: 'Par tour', session: 'Par discussion', day: 'Par jour' },
  usd: dollarsIn('fr'),
  demo: 'Démo hors ligne',
  short: (count) => compact.format(count)
}
