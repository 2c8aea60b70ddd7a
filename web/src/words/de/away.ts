import { type Words } from '../en/index.js'

const messages = (count: number): string => count === 1 ? '1 Nachricht wartet' : `${count} Nachrichten warten`
const joined = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} und ${parts.at(-1) ?? ''}`
const named = (before: string, name: string | null, after = ''): string => name === null ? `${before}${after}` : `${before} (${name})${after}`

export const away: Words['away'] = {
  all: 'Abwesend öffnen',
  later: 'Geht später weiter',
  empty: 'Nichts läuft, wartet oder ist fertig',
  emptyText: 'Hier steht, was der Agent tut, während du weg bist.',
  counted: {
    waiting: (count) => count === 1 ? '1 wartet auf dich' : `${count} warten auf dich`,
    running: (count) => count === 1 ? '1 läuft' : `${count} laufen`,
    queued: (count) => `${count} in der Warteschlange`,
    ended: (count) => `${count} beendet`
  },
  listed: (parts) => `${joined(parts)}.`,
  works: 'Der Agent arbeitet.',
  parked: (provider, when) => when === null
    ? `${provider} ist am Limit. Der Durchgang wartet, bis du entscheidest, wie es weitergeht.`
    : `${provider} ist bis ${when} am Limit. Danach geht es automatisch weiter.`,
  cannotContinue: (provider) => `Der Durchgang konnte mit ${provider} nicht weitergehen und wartet, bis du entscheidest, wie es weitergeht.`,
  worksOn: (what) => `Arbeitet an: ${what}`,
  stop: 'Stoppen',
  stopIt: (title) => `„${title}“ stoppen`,
  silent: (span, cause) => `Seit ${span} kein Lebenszeichen: ${cause}.`,
  causes: {
    model: (name) => `${name ?? 'das Modell'} hat noch nicht geantwortet`,
    command: (line) => named('ein Befehl läuft ohne Ausgabe', line),
    tool: (name) => named('ein Werkzeug hat noch nicht geantwortet', name),
    sub_agent: () => 'ein Unteragent arbeitet',
    person: () => 'es wartet auf deine Antwort'
  },
  behind: (count) => `${messages(count)} auf das Ende des vorigen Durchgangs und ${count === 1 ? 'beginnt' : 'beginnen'} dann automatisch.`,
  notBefore: (count, when) => `${messages(count)} bis ${when}.`,
  held: (count, reason) => {
    const why: Readonly<Record<string, string>> = {
      failed: 'der vorige Durchgang ist fehlgeschlagen', cancelled: 'du hast den vorigen Durchgang gestoppt', budget: 'das Budget ist aufgebraucht',
      restored: 'sie stammen aus einem Backup', waiting: 'der vorige Durchgang wartet auf deine Antwort',
      limit: 'der vorige Durchgang wartet auf seinen Anbieter'
    }
    return `${messages(count)} auf dich: ${why[reason] ?? 'die Warteschlange ist angehalten'}.`
  },
  runs: 'Sie beginnen, sobald ein laufender endet.',
  next: (when) => `Nächster Lauf: ${when}.`
}
