import { type Words } from '../en/index.js'

const counted = (count: number): string => `${count} ${count === 1 ? 'Kommentar' : 'Kommentare'}`

export const review: Words['review'] = {
  title: 'Review',
  sentTitle: (count) => `Review mit ${count === 1 ? '1 Kommentar' : `${count} Kommentaren`}`,
  asSent: 'So liest es der Agent',
  label: (line, end) => line === end ? `Kommentar zu Zeile ${line}` : `Kommentar zu den Zeilen ${line} bis ${end}`,
  hint: 'Was soll der Agent ändern oder erklären?',
  add: 'Zum Review hinzufügen',
  count: counted,
  send: (count) => `${counted(count)} senden`,
  sent: 'Review gesendet.',
  queued: 'Review in der Warteschlange. Der Agent bekommt es nach diesem Durchgang.',
  commentOn: (name, line) => `Kommentar zu ${name}, Zeile ${line}`,
  actions: 'Aktionen für diesen Kommentar',
  show: 'Die Zeilen anzeigen',
  edit: 'Bearbeiten',
  resolve: 'Als gelöst markieren',
  reopen: 'Wieder öffnen',
  remove: 'Entfernen',
  removed: 'Kommentar entfernt.',
  answer: 'Antwort des Agenten',
  gone: 'Zeilen nicht gefunden',
  found: { moved: 'verschoben', changed: 'Zeilen geändert', deleted: 'Zeilen gelöscht' },
  states: { draft: 'Entwurf', sent: 'Gesendet', changed: 'Geändert', answered: 'Beantwortet', open: 'Noch offen', resolved: 'Gelöst' },
  see: 'Als gesehen markieren',
  unsee: 'Als nicht gesehen markieren',
  seen: 'Gesehen'
}
