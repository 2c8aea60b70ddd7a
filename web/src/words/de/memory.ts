import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'

const number = formatter(() => new Intl.NumberFormat('de'))

export const memory: Words['memory'] = {
  names: { memory: 'Notizen', user: 'Über dich', soul: 'Persona', project: 'Anweisungen des Arbeitsordners' },
  about: {
    memory: 'Was sich der Agent notiert hat. Er liest es am Anfang jedes Chats und darf es ändern, wenn du es erlaubst.',
    user: 'Was der Agent über dich weiß. Er liest es am Anfang jedes Chats und darf es ändern, wenn du es erlaubst.',
    soul: 'Wer der Agent ist und wie er spricht. Das ändern nur Menschen.',
    project: 'Diese Dateien liegen im Arbeitsordner und gelten nur dort. Bearbeite die Dateien, um sie zu ändern.'
  },
  examples: {
    memory: '- Die Tests der Website laufen mit `npm test`.\n- Veröffentlicht wird freitags.',
    user: '- Nenn mich Kim.\n- Kurze Antworten, metrische Einheiten.',
    soul: 'Du bist ein ruhiger Kollege. Du sagst, was du nicht weißt.'
  },
  useExample: 'Mit einem Beispiel beginnen',
  off: 'Dieses Profil verwendet dieses Dokument nicht.',
  problem: (problem) => `Dieses Dokument lässt sich nicht lesen: ${problem}`,
  masked: 'Schlüssel und Passwörter stehen als [redacted] da. Lass solche Zeilen, wie sie sind, dann behalten sie ihre Werte.',
  plain: 'Jetzt ist nichts unkenntlich: Schlüssel und Passwörter sind zu lesen.',
  showValues: 'Werte anzeigen',
  hideValues: 'Werte verbergen',
  tooLong: (bytes, most) => `Das ist zu lang: ${number.format(bytes)} von ${number.format(most)} Bytes.`,
  discard: 'Änderungen verwerfen',
  saved: 'Gespeichert. Neue Chats verwenden es.',
  conflict: 'Jemand anderes hat dieses Dokument geändert. Deine Änderungen sind noch da.',
  keepMine: 'Meine speichern',
  takeTheirs: 'Die andere nehmen',
  theirs: 'Aktuelle Fassung',
  view: 'Ansicht',
  views: { facts: 'Fakten', text: 'Ganzer Text' },
  fact: 'Fakt',
  factPlaceholder: 'Veröffentlicht wird freitags.',
  noFacts: 'Noch ist nichts notiert. Sag dem Agenten, was er sich merken soll, oder füge es hier hinzu.',
  moreFacts: (count) => `${number.format(count)} weitere anzeigen`,
  addFact: 'Fakt hinzufügen',
  editFact: 'Diesen Fakt bearbeiten',
  forget: 'Diesen Fakt vergessen',
  forgotten: 'Vergessen. Neue Chats wissen es nicht mehr.',
  olderThan: (at) => `vor ${at}`,
  tidy: 'Aufräumen',
  proposal: 'Eine aufgeräumte Fassung',
  tidying: 'Ein Modell sucht nach Wiederholtem und Veraltetem …',
  tidyAlready: 'Es gibt nichts aufzuräumen.',
  accept: 'Annehmen',
  leave: 'Aktuelle Fassung behalten',
  tidied: 'Dokument aufgeräumt.',
  versions: 'Fassungen',
  noVersions: 'Noch keine früheren Fassungen.',
  authors: { person: 'Von dir', agent: 'Vom Agenten', disk: 'Auf der Festplatte geändert' },
  bytes: (bytes) => `${number.format(bytes)} Bytes`,
  missing: 'keine Datei',
  current: 'aktuell',
  currentNote: 'Das ist die aktuelle Fassung.',
  since: 'Änderungen seitdem:',
  restore: 'Diese Fassung wiederherstellen',
  restored: 'Fassung wiederhergestellt.',
  shadowed: (count) => count === 1 ? '1 Datei wird hier nicht beachtet' : `${count} Dateien werden hier nicht beachtet`
}
