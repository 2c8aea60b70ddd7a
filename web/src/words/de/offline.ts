import { type Words } from '../en/index.js'

export const offline: Words['offline'] = {
  keptNote: (time) => `Auf diesem Gerät gespeichert um ${time}; der aktuelle Stand wird geladen`,
  cutOff: 'Der Dienst ist nicht erreichbar. Was auf diesem Gerät gespeichert ist, kannst du lesen. Nachrichten warten und werden gesendet, wenn er antwortet.',
  offline: 'Du bist offline. Was auf diesem Gerät gespeichert ist, kannst du lesen. Nachrichten warten und werden gesendet, wenn du wieder online bist.',
  waiting: (count) => count === 1 ? '1 Nachricht wartet.' : `${count} Nachrichten warten.`,
  unsent: 'Noch nicht gesendet',
  waits: 'Wartet auf die Verbindung',
  unsure: 'Vielleicht ist sie angekommen; die App prüft das, bevor sie sie noch einmal sendet',
  onItsWay: 'Wird gesendet',
  sentLater: 'Eine wartende Nachricht wurde gesendet.',
  open: 'Öffnen',
  edit: 'Zurück in das Feld',
  remove: 'Verwerfen',
  removed: 'Nachricht verworfen.',
  refused: (why) => `Nicht gesendet: ${why}`,
  earlier: 'Vor der letzten Anmeldung geschrieben, deshalb nicht automatisch gesendet',
  sendNow: 'Senden',
  gone: 'Sie wurde schon gesendet.',
  filesWait: (count) =>
    `${count === 1 ? 'Die geteilte Datei ist' : `Die ${count} geteilten Dateien sind`} auf diesem Gerät gespeichert und ${count === 1 ? 'wird' : 'werden'} angehängt, wenn der Dienst antwortet.`,
  sharedLeftOut: (names, isLarge) =>
    `Weggelassen: ${names.slice(0, 3).join(', ')}${names.length > 3 ? ` und ${names.length - 3} weitere` : ''}. ` +
    (isLarge ? 'Auf einmal lassen sich höchstens 512 MiB teilen.' : 'Eine Nachricht fasst höchstens 20 Dateien.'),
  sharedWaits: 'Du hast etwas mit dieser App geteilt.',
  shareFailed: 'Was du geteilt hast, konnte auf diesem Gerät nicht gespeichert werden. Teile es noch einmal, oder weniger auf einmal.',
  newVersion: 'Eine neue Version der App ist da.',
  later: 'Später',
  reload: 'Neu laden'
}
