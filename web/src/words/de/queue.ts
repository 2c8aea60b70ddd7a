import { type Words } from '../en/index.js'

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

export const queue: Words['queue'] = {
  title: (count) => `${counted(count, 'Nachricht', 'Nachrichten')} in der Warteschlange`,
  list: 'Wartende Nachrichten',
  held: {
    failed: 'Der letzte Durchgang ist fehlgeschlagen, deshalb wartet die Warteschlange auf dich.',
    cancelled: 'Du hast den letzten Durchgang gestoppt, deshalb wartet die Warteschlange auf dich.',
    budget: 'Ein Budget ist aufgebraucht, deshalb wartet die Warteschlange auf dich.',
    restored: 'Ein Backup wurde eingespielt, deshalb wartet die Warteschlange auf dich.'
  },
  waiting: 'Die Warteschlange geht weiter, wenn du geantwortet hast.',
  limit: 'Die Warteschlange geht nach dem Durchgang weiter, der auf seinen Anbieter wartet.',
  goOn: 'Weiter',
  drop: 'Alle verwerfen',
  dropped: (count) => `${counted(count, 'wartende Nachricht', 'wartende Nachrichten')} verworfen`,
  move: (text) => `„${text}“ verschieben`,
  moveHint: 'Ziehe sie, oder drücke die Pfeiltasten.',
  moveUp: 'Nach oben',
  moveDown: 'Nach unten',
  moved: (place, of) => `An Platz ${place} von ${of} verschoben`,
  more: (text) => `Aktionen für „${text}“`,
  sendNow: 'Jetzt senden',
  addNow: 'Zum laufenden Durchgang hinzufügen',
  steered: 'Der Agent hat sie und liest sie bei seinem nächsten Schritt.',
  next: 'Der laufende Durchgang kann sie nicht aufnehmen. Sie kommt als Nächstes dran.',
  edit: 'Bearbeiten',
  editing: 'Wartende Nachricht',
  save: 'Speichern',
  remove: 'Entfernen',
  removed: 'Aus der Warteschlange entfernt',
  files: (count) => counted(count, 'Datei', 'Dateien'),
  from: (time) => `Nicht vor ${time}`,
  changedElsewhere: 'Ein anderes Gerät hat diese Nachricht geändert. Speichere noch einmal, um ihren Text zu ersetzen.',
  begun: 'Diese Nachricht hat die Warteschlange verlassen. Dein Text steht im Nachrichtenfeld.'
}
