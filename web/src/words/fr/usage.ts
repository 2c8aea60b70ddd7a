import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'
import { bar } from './bar.js'

const number = formatter(() => new Intl.NumberFormat('fr'))
const days = formatter(() => new Intl.DateTimeFormat('fr', { day: 'numeric', month: 'short' }))

export const usage: Words['usage'] = {
  period: 'Période',
  days: (count) => count === 365 ? '1 an' : `${count} jours`,
  export: 'Exporter',
  empty: 'Aucune consommation sur cette période',
  emptyText: 'Ce que vos discussions et tâches consomment, en tokens et en argent, est compté ici par jour, modèle, projet et tâche.',
  emptyAction: 'Commencer une discussion',
  tokenCount: (tokens) => `${tokens} tokens`,
  chatCount: (count) => count < 2 ? `${count} discussion` : `${number.format(count)} discussions`,
  cachedShare: (percent) => `${percent} % depuis le cache`,
  cost: 'Coût',
  tokens: 'Tokens',
  input: 'Entrée',
  output: 'Sortie',
  chats: 'Discussions',
  inOut: (read, written) => `${read} en entrée, ${written} en sortie`,
  messages: (count) => count < 2 ? `${count} message` : `${number.format(count)} messages`,
  usd: bar.usd,
  short: bar.short,
  count: (count) => number.format(count),
  seconds: (seconds) =>
    seconds >= 120 ? `${number.format(Math.round(seconds / 60))} min` : `${seconds.toFixed(seconds < 10 ? 1 : 0).replace('.', ',')} s`,
  day: (date) => days.format(date),
  perDay: 'Par jour',
  measure: 'Mesure',
  breakdown: 'Répartition',
  by: { model: 'Modèle', kind: 'Type', project: 'Projet', job: 'Tâche', tool: 'Outil', prompt: 'Autorisations et questions' },
  share: 'Part',
  turns: 'Tours',
  runs: 'Exécutions',
  calls: 'Appels',
  failures: 'Échecs',
  mean: 'Moyenne',
  total: 'Total',
  asked: 'Demandées',
  allowed: 'Autorisées',
  denied: 'Refusées',
  answered: 'Répondues',
  expired: 'Expirées',
  cancelled: 'Tour terminé',
  open: 'En attente',
  promptKinds: { approval: 'Autorisations', clarify: 'Questions' },
  kinds: {
    chat: 'Discussion', goal: 'Objectif', btw: 'Question à part', background: 'Tâche en arrière-plan', delegate: 'Sous-agent', cron: 'Tâche',
    deleted: 'Discussions supprimées', retracted: 'Réponses annulées',
    vision: 'Description d’images', web_extract: 'Lecture de pages', session_search: 'Recherche de discussions', mcp_sampling: 'Serveurs MCP',
    title: 'Titres', judge: 'Évaluation d’objectifs',
    compress: 'Résumés', commit_message: 'Messages de commit', pull_request: 'Pull Requests', curate: 'Rangement de la mémoire',
    probe: 'Tests de fournisseurs', compare_attempts: 'Comparaison d’essais', review_attempt: 'Relecture d’essais'
  },
  noProject: 'Aucun projet',
  gone: (id) => `Supprimé (${id})`,
  nothing: 'Rien sur cette période.',
  since: (at) => `Compté depuis le ${days.format(at)}.`,
  budgets: 'Budgets',
  budgetsText: 'Une limite d’avertissement vous prévient. À une limite d’arrêt, le tour attend que vous autorisiez davantage.',
  scopes: { ...bar.scopes, attempts: 'Par série d’essais', job: 'Par exécution de tâche' },
  limit: {
    soft_usd: (amount) => `avertit à ${amount}`,
    hard_usd: (amount) => `arrête à ${amount}`,
    soft_tokens: (count) => `avertit à ${count} tokens`,
    hard_tokens: (count) => `arrête à ${count} tokens`
  },
  noLimit: 'sans limite',
  change: 'Modifier',
  changeLimits: (scope) => `Modifier les limites : ${scope}`,
  today: (amount, tokens) => `Aujourd’hui : ${amount}, ${tokens} tokens`,
  ofLimit: (percent) => `${percent} % de la limite du jour`,
  unpriced: (model) => `Le prix de ${model} n’est pas connu.`,
  resets: (at) => `Un nouveau jour commence ${at}.`
}
