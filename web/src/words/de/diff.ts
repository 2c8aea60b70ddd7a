import { type Words } from '../en/index.js'

export const diff: Words['diff'] = {
  comment: 'Kommentieren',
  commentOn: (line) => `Zeile ${line} kommentieren`,
  revert: 'Zurücknehmen',
  added: 'Hinzugefügt',
  removed: 'Entfernt',
  counts: (added, removed) => `${added} hinzugefügt, ${removed} entfernt`,
  unchanged: (lines) => lines === 1 ? '1 unveränderte Zeile' : `${lines.toLocaleString('de')} unveränderte Zeilen`,
  created: 'neu',
  deleted: 'gelöscht',
  renamed: (from) => `vorher ${from}`,
  before: 'Vorher',
  after: 'Nachher',
  pixels: (width, height) => `${width} × ${height} px`,
  noPicture: 'Dieses Bild kann nicht angezeigt werden.',
  binary: 'Eine Binärdatei: Ihr Inhalt lässt sich nicht anzeigen.',
  ofDocument: 'Der Text des Dokuments:',
  sameDocument: 'Der Text des Dokuments ist derselbe. Geändert hat sich anderes in der Datei, etwa das Layout.',
  noDocument: 'Der Text dieses Dokuments lässt sich nicht lesen.',
  otherDocument: 'Die beiden Fassungen haben zu wenig gemeinsam, um sie zu vergleichen.',
  noChange: 'Nichts hat sich geändert.',
  noNewline: 'Kein Zeilenumbruch am Ende',
  truncated: 'Der Rest dieser Änderung ist zu lang, um angezeigt zu werden.'
}
