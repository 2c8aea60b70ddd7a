import { type Words } from '../en/index.js'

const messages = (count: number): string => count === 1 ? '1 Nachricht wartet' : `${count} Nachrichten warten`
const joined = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} und ${parts.at(-1) ?? ''}`
const named = (before: string, name: string | null, after = ''): string => name === null ? `${before}${after}` : `${before} (${name})${after}`

export const away: Words['away'] = {
  all: 'Alles ansehen',
  later: 'Als Nächstes',
  empty: 'Nichts läuft, wartet oder ist fertig',
  emptyText: 'Hier steht, was der Agent tut, während du weg bist.',
  counted: {
    waiting: (count) => count === 1 ? '1 wartet auf dich' : `${count} warten auf dich`,
    running: (count) => count === 1 ? '1 läuft' : `${count} laufen`,
    queued: (count) => `${count} in der Warteschlange`,
    ended: (count) => count === 1 ? '1 ist fertig' : `${count} sind fertig`
  },
  listed: (parts) => `${joined(parts)}.`,
  works: 'Der Agent arbeitet.',
  parked: (provider, when) => when === null
    ? `${provider} ist am Limit. Der Durchgang wartet, bis du entscheidest, wie es weitergeht.`
    : `${provider} ist bis ${when} am Limit. Danach geht es automatisch weiter.`,
  decide: 'Entscheiden',
  cannotContinue: (provider) => `Der Durchgang konnte mit ${provider} nicht weitergehen und wartet, bis du entscheidest, wie es weitergeht.`,
  worksOn: (what) => `Arbeitet an: ${what}`,
  stop: 'Stoppen',
  stopIt: (title) => `„${title}“ stoppen`,
  silent: (span, cause) => `Seit ${span} keine Aktivität: ${cause}.`,
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
    if (reason === 'waiting') return `${messages(count)} auf den laufenden Durchgang, der auf deine Antwort wartet.`
    if (reason === 'limit') return `${messages(count)} auf den laufenden Durchgang, der auf seinen Anbieter wartet.`
    const why: Readonly<Record<string, string>> = {
      failed: 'der Durchgang davor ist fehlgeschlagen', cancelled: 'du hast den Durchgang davor gestoppt', budget: 'das Budget ist aufgebraucht',
      restored: 'ein Backup wurde wiederhergestellt'
    }
    return `${messages(count)} auf deine Entscheidung: ${why[reason] ?? 'die Warteschlange ist angehalten'}.`
  },
  runs: 'Sie beginnen, sobald ein laufender endet.',
  next: (when) => `Nächster Lauf: ${when}.`
}
