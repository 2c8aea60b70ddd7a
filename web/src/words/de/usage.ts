import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'
import { bar } from './bar.js'

const number = formatter(() => new Intl.NumberFormat('de'))
const days = formatter(() => new Intl.DateTimeFormat('de', { day: 'numeric', month: 'short' }))

export const usage: Words['usage'] = {
  period: 'Zeitraum',
  days: (count) => count === 365 ? '1 Jahr' : `${count} Tage`,
  export: 'Exportieren',
  empty: 'In diesem Zeitraum wurde nichts verbraucht',
  emptyText: 'Was deine Chats und Aufgaben an Tokens und Geld verbrauchen, wird hier nach Tag, Modell, Projekt und Aufgabe gezählt.',
  emptyAction: 'Chat beginnen',
  tokenCount: (tokens) => `${tokens} Tokens`,
  chatCount: (count) => count === 1 ? '1 Chat' : `${number.format(count)} Chats`,
  cachedShare: (percent) => `${percent} % aus dem Cache`,
  cost: 'Kosten',
  tokens: 'Tokens',
  input: 'Eingabe',
  output: 'Ausgabe',
  chats: 'Chats',
  inOut: (read, written) => `${read} rein, ${written} raus`,
  messages: (count) => count === 1 ? '1 Nachricht' : `${number.format(count)} Nachrichten`,
  usd: bar.usd,
  short: bar.short,
  count: (count) => number.format(count),
  seconds: (seconds) => seconds >= 120
    ? `${number.format(Math.round(seconds / 60))} min`
    : `${seconds.toFixed(seconds < 10 ? 1 : 0).replace('.', ',')} s`,
  day: (date) => days.format(date),
  perDay: 'Pro Tag',
  perWeek: 'Pro Woche',
  measure: 'Maß',
  breakdown: 'Aufteilung',
  by: { model: 'Modell', kind: 'Art', project: 'Projekt', job: 'Aufgabe', tool: 'Werkzeug', prompt: 'Freigaben und Fragen' },
  share: 'Anteil',
  turns: 'Durchgänge',
  runs: 'Läufe',
  calls: 'Aufrufe',
  failures: 'Fehlgeschlagen',
  mean: 'Durchschnitt',
  total: 'Summe',
  asked: 'Gefragt',
  allowed: 'Erlaubt',
  denied: 'Abgelehnt',
  answered: 'Beantwortet',
  expired: 'Abgelaufen',
  cancelled: 'Durchgang beendet',
  open: 'Offen',
  promptKinds: { approval: 'Freigaben', clarify: 'Fragen' },
  kinds: {
    chat: 'Chat', goal: 'Ziel', btw: 'Zwischenfrage', background: 'Hintergrundaufgabe', delegate: 'Unteragent', cron: 'Aufgabe',
    deleted: 'Gelöschte Chats', retracted: 'Zurückgenommene Antworten',
    vision: 'Bilder beschreiben', web_extract: 'Seiten lesen', session_search: 'Chats durchsuchen', mcp_sampling: 'MCP-Server',
    title: 'Titel', judge: 'Ziele beurteilen',
    compress: 'Zusammenfassungen', commit_message: 'Commit-Nachrichten', pull_request: 'Pull Requests', curate: 'Gedächtnis aufräumen',
    probe: 'Tests von Anbietern', compare_attempts: 'Versuche vergleichen', review_attempt: 'Versuche begutachten'
  },
  noProject: 'Kein Projekt',
  unknownModel: 'Unbekanntes Modell',
  gone: (id) => `Gelöscht (${id})`,
  nothing: 'Nichts in diesem Zeitraum.',
  since: (at) => `Gezählt seit ${days.format(at)}.`,
  budgets: 'Budgets',
  budgetsText: 'Ein Limit zum Warnen gibt einen Hinweis. An einem Limit zum Anhalten wartet der Durchgang, bis du mehr erlaubst.',
  scopes: { ...bar.scopes, attempts: 'Pro Satz von Versuchen', job: 'Pro Lauf einer Aufgabe' },
  limit: {
    soft_usd: (amount) => `warnt bei ${amount}`,
    hard_usd: (amount) => `hält an bei ${amount}`,
    soft_tokens: (count) => `warnt bei ${count} Tokens`,
    hard_tokens: (count) => `hält an bei ${count} Tokens`
  },
  noLimit: 'kein Limit',
  change: 'Ändern',
  changeLimits: (scope) => `Limits ändern: ${scope}`,
  today: (amount, tokens) => `Heute: ${amount}, ${tokens} Tokens`,
  ofLimit: (percent) => `${percent} % des heutigen Limits`,
  unpriced: (model) => `Der Preis von ${model} ist nicht bekannt.`,
  resets: (at) => `Ein neuer Tag beginnt ${at}.`
}
