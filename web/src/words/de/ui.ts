import { type Words } from '../en/index.js'

export const ui: Words['ui'] = {
  working: 'Arbeitet',
  showAll: (lines) => `Alle ${lines.toLocaleString('de')} Zeilen anzeigen`,
  showLess: 'Weniger anzeigen',
  screenFailed: 'Diese Ansicht ist abgestürzt. Lade sie neu; was du in Chats getippt hast, bleibt erhalten.',
  partMissing: 'Dieser Teil der App konnte nicht geladen werden.',
  partOfBefore: 'Die App wurde aktualisiert. Lade neu, um weiterzumachen. Was du in Chats getippt hast, bleibt erhalten.',
  notifications: 'Meldungen der App',
  dismiss: 'Ausblenden',
  resize: 'Größe ändern',
  optional: 'optional',
  context: (percent) => `Kontext: ${percent} % belegt`,
  copyFailed: 'Der Text konnte nicht kopiert werden. Markiere ihn und kopiere ihn selbst.',
  asTable: 'Als Tabelle anzeigen'
}
