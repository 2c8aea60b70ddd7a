import { dollarsIn } from '../dollars.js'
import { formatter } from '../formatter.js'
import { sayInGerman } from '../../../../schedules/german.js'
import { type ZonedTime } from '../../tasks/zoned-time.js'
import { type Words } from '../en/index.js'

const number = formatter(() => new Intl.NumberFormat('de'))
const day = (date: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('de', { ...options, timeZone: 'UTC' }).format(new Date(`${date}T00:00Z`))
const dayMonth = (date: string): string => day(date, { weekday: 'short', day: 'numeric', month: 'short' }).replace(',', '')
const dollars = dollarsIn('de', 0.01)
const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} und ${names.at(-1) ?? ''}`

export const tasks: Words['tasks'] = {
  create: 'Neue Aufgabe',
  isNew: 'neu',
  edited: 'nicht gespeichert',
  ways: { label: 'Was die Arbeit startet', times: 'Zu festen Zeiten', calls: 'Durch einen Aufruf' },
  list: 'Aufgaben',
  paused: 'Pausiert',
  finished: 'Beendet',
  back: 'Alle Aufgaben',
  gone: 'Diese Aufgabe gibt es nicht mehr. Wähle eine andere.',
  allProfiles: 'Aufgaben aller Profile anzeigen',
  empty: 'Noch ist nichts geplant',
  emptyText: 'Eine Aufgabe ist eine Nachricht, die der Agent zu festen Zeiten bekommt, auch wenn du nicht da bist.',
  exampleButton: (name) => `Probiere eine: ${name}`,
  example: {
    name: 'Morgenrunde',
    prompt: 'Sieh dir den Ordner an. Was hat sich seit gestern geändert, und was ist als Nächstes zu tun? Höchstens zehn Zeilen.',
    schedule: 'jeden Werktag morgens'
  },
  states: {
    running: 'läuft', queued: 'in der Warteschlange', paused: 'pausiert', completed: 'beendet', failed: 'fehlgeschlagen',
    undelivered: 'nicht zugestellt', blocked: 'ungültige Einstellungen', scheduled: 'an'
  },
  runNow: 'Jetzt ausführen',
  runsAlready: 'Sie läuft schon.',
  actionsOf: (name) => `Aktionen für ${name}`,
  pause: 'Pausieren',
  resume: 'Fortsetzen',
  pausedToast: (name) => `„${name}“ ist pausiert.`,
  deleted: (name) => `„${name}“ ist gelöscht.`,
  deleteTitle: 'Diese Aufgabe löschen?',
  deleteText: (name) => `Ihre Ergebnisse werden auch gelöscht und lassen sich nicht wiederherstellen: „${name}“.`,
  skipped: (at) => `Ausgelassen: ${at}.`,
  told: {
    ended: (name) => `„${name}“ ist gelaufen.`,
    failed: (name) => `„${name}“ ist fehlgeschlagen.`,
    skipped: (name) => `„${name}“ wurde ausgelassen.`,
    open: 'Anzeigen'
  },
  times: (done, times) => `${done} von ${times} Läufen`,
  streak: (runs) => `${runs}-mal in Folge.`,
  toChat: 'Neuesten Chat öffnen',
  runs: 'Ergebnisse',
  noRuns: 'Noch keine Ergebnisse. Jeder Lauf fügt hier seine Antwort hinzu.',
  moreRuns: (count) => `Ältere anzeigen (${count})`,
  went: 'fertig',
  used: (tokens, cost) => cost === null || cost === 0 ? `${number.format(tokens)} Tokens` : dollars(cost),
  cost: (run, month) => `etwa ${dollars(run)} pro Lauf${month === null ? '' : `, ${dollars(month)} im Monat`}`,
  name: 'Name',
  prompt: 'Was soll geschehen?',
  promptPlaceholder: 'Sieh dir den Ordner an und sag, was als Nächstes zu tun ist.',
  promptHint: 'In der Nachricht steht {{last_output}} für die Antwort des letzten Laufs.',
  schedule: 'Wann?',
  hour: 'Stunde',
  meant: 'Meinst du',
  inZone: (zone) => zone === 'UTC' ? 'in UTC' : `Zeit von ${zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone}`,
  once: (at) => `Einmal, ${at}`,
  weekday: (date) => day(date, { weekday: 'short' }),
  daysLabel: (dates) => dates.length === 0 ? 'Läuft in den nächsten zwei Wochen nicht' : `Läuft in den nächsten zwei Wochen: ${dates.map(dayMonth).join(', ')}`,
  nextRuns: (next, [first, ...rest]: readonly ZonedTime[]) => {
    const others = rest.map(({ date, time }) => date === first?.date ? time : time === first?.time ? dayMonth(date) : `${dayMonth(date)} um ${time}`)
    return `Das nächste Mal ${next}${others.length === 0 ? '' : `, dann ${listed(others)}`}`
  },
  fiveMore: 'Fünf weitere',
  fewer: 'Weniger',
  scheduleRefused: {
    schedule_unclear: 'Das ist noch nicht verständlich. Nenne Tage und eine Uhrzeit oder einen Abstand: „jeden Werktag morgens“, „alle 2 Stunden“.',
    schedule_cron: 'Dieser Cron-Ausdruck ist ungültig. Er hat fünf Teile: Minute, Stunde, Tag, Monat und Wochentag.',
    schedule_never: 'Darauf passt kein Datum.',
    schedule_past: 'Dieser Zeitpunkt ist vorbei. Wähle einen, der noch kommt.'
  },
  say: sayInGerman,
  examples: 'Beispiele',
  scheduleExamples: ['jeden Werktag morgens', 'täglich um 18:30', 'jeden zweiten Dienstag um 7', 'am 1. jedes Monats', 'in zwei Stunden'],
  delivery: 'Wohin geht die Antwort?',
  deliveries: { local: 'Start', origin: 'Ein Chat', push: 'Meine Geräte', webhook: 'Webhook' },
  deliveryNotes: {
    local: 'Sie bleibt hier, unter „Ergebnisse“.',
    origin: 'An den Chat, in dem du diese Aufgabe angelegt hast.',
    push: 'Als Benachrichtigung an jeden Browser, der sie eingeschaltet hat.'
  },
  webhook: 'Adresse des Webhooks',
  webhookHint: 'Jedes Ergebnis wird als signiertes JSON dorthin gesendet.',
  model: 'Modell',
  usualModel: 'Standardmodell',
  otherModel: 'Anderes Modell…',
  profile: 'Profil',
  thisProfile: 'Dieses',
  workspace: 'Ordner',
  folderTitle: 'Ordner der Aufgabe',
  usualFolder: 'Standardordner',
  otherFolder: 'Anderer Ordner…',
  addSkill: 'Skill hinzufügen',
  removeSkill: (name) => `Skill ${name} entfernen`,
  advanced: 'Erweitert',
  cron: 'Cron-Ausdruck',
  cronHint: 'Minute, Stunde, Tag, Monat, Wochentag. Er ersetzt die Worte darüber.',
  repeat: 'Wie oft',
  forever: 'Unbegrenzt',
  ask: 'Wenn sie eine Freigabe braucht',
  asks: { wait: 'Auf mich warten', deny: 'Ohne sie weitermachen' },
  toast: 'Benachrichtigen, wenn ein Lauf beendet ist',
  save: 'Aufgabe speichern',
  tryNow: 'Jetzt ausprobieren',
  saveAndTry: 'Speichern und jetzt ausprobieren',
  discard: 'Änderungen verwerfen',
  saved: (name) => `„${name}“ ist gespeichert.`,
  savedNext: (name, at) => `„${name}“ ist gespeichert. Das nächste Mal läuft sie ${at}.`
}
