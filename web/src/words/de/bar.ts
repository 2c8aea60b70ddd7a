import { dollarsIn } from '../dollars.js'
import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'

const compact = formatter(() => new Intl.NumberFormat('de', { notation: 'compact', maximumFractionDigits: 1 }))

export const bar: Words['bar'] = {
  more: {
    label: 'Dateien und mehr hinzufügen',
    goal: { text: 'Ein Ziel verfolgen', note: 'Der Agent arbeitet Durchgang um Durchgang, bis das Ziel erreicht ist.' },
    btw: { text: 'Eine Zwischenfrage stellen', note: 'Die kurze Antwort wird kein Teil des Chats.' },
    background: { text: 'Im Hintergrund ausführen', note: 'Eine eigene Aufgabe. Du kannst hier inzwischen weitermachen.' },
    attempts: { text: 'Mehrmals versuchen…', note: 'Dieselbe Aufgabe in mehreren Worktrees; du übernimmst das beste Ergebnis.' },
    worktree: { text: 'In einem Git-Worktree arbeiten', note: 'Der neue Chat bekommt eine eigene Kopie des Repositorys auf einem neuen Branch.' },
    all: 'Alle Befehle'
  },
  getKey: 'Schlüssel holen…',
  effortTitle: 'Denkaufwand',
  effort: (effort) => ({
    '': 'Normaler Aufwand', none: 'Ohne Nachdenken', minimal: 'Minimal', low: 'Niedrig', medium: 'Mittel', high: 'Hoch', xhigh: 'Sehr hoch',
    max: 'Maximal'
  }[effort] ?? effort),
  effortBrief: (effort) => ({
    '': 'normal', none: 'aus', minimal: 'minimal', low: 'niedrig', medium: 'mittel', high: 'hoch', xhigh: 'sehr hoch', max: 'maximal'
  }[effort] ?? effort),
  effortSet: (effort) => `Denkaufwand: ${effort}`,
  personality: 'Persönlichkeit',
  noPersonality: 'Keine Persönlichkeit',
  scopes: { turn: 'Pro Durchgang', session: 'Pro Chat', day: 'Pro Tag' },
  usd: dollarsIn('de'),
  demo: 'Offline-Demo',
  short: (count) => compact.format(count)
}
