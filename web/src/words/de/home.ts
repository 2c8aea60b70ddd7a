import { type Words } from '../en/index.js'

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

export const home: Words['home'] = {
  greeting: (hour) => hour < 5 ? 'Guten Abend.' : hour < 11 ? 'Guten Morgen.' : hour < 18 ? 'Guten Tag.' : 'Guten Abend.',
  since: 'Während du weg warst:',
  waiting: (count) => count === 1 ? '1 wartet' : `${count} warten`,
  finished: (count) => `${count} fertig`,
  filesChanged: (count) => counted(count, 'Datei geändert', 'Dateien geändert'),
  between: ', ',
  end: '.',
  quiet: 'Alles ruhig. Woran wollen wir arbeiten?',
  ask: 'Woran wollen wir arbeiten?',
  temporary: 'Temporärer Chat'
}

/** Texts below the composer on the start page. */
export const homeRows: Words['homeRows'] = {
  waiting: 'Wartet auf dich',
  finished: 'Fertig',
  now: 'Läuft',
  markSeen: 'Alle als gesehen markieren',
  showAll: (count) => `Alle ${count} anzeigen`,
  states: { done: 'fertig', failed: 'fehlgeschlagen', stopped: 'gestoppt' },
  failedTask: 'Aufgabe fehlgeschlagen',
  files: (count) => counted(count, 'Datei', 'Dateien'),
  queued: (count) => `${counted(count, 'Lauf', 'Läufe')} in der Warteschlange`,
  review: 'Durchsehen',
  answer: 'Antworten',
  open: 'Öffnen',
  tryOne: 'Zum Beispiel',
  examples: [
    'Zeig mir, was in diesem Ordner ist und wozu jeder Teil da ist.',
    'Finde hier etwas, das einfacher sein könnte, und zeig mir die Änderung, bevor du sie machst.',
    'Sag mir jeden Werktag morgens in zehn Zeilen, was sich seit gestern geändert hat.'
  ]
}
