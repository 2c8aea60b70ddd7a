import { type Words } from '../en/index.js'

export const profiles: Words['profiles'] = {
  note: 'Ein Profil hat eigene Modelle, Schlüssel, ein eigenes Gedächtnis und eigene Einstellungen. Deine Wahl gilt für diesen Browser.',
  toMemory: 'Persona und Notizen des aktuellen Profils',
  single: 'Dieser Dienst hat nur ein Profil.',
  active: 'In Gebrauch',
  usual: 'Standard',
  hidden: 'Verborgen',
  running: 'Der Agent läuft',
  facts: (model, skills, all) => `${model} · ${skills} von ${all} Skills`,
  noModel: 'Kein Modell',
  keys: 'Hat eigene Schlüssel',
  switch: 'Dorthin wechseln',
  create: 'Profil anlegen',
  name: 'Name',
  nameHint: 'Kleinbuchstaben, Ziffern, - und _, am Anfang ein Buchstabe oder eine Ziffer.',
  wrongName: 'Kleinbuchstaben, Ziffern, - und _, höchstens 64, am Anfang ein Buchstabe oder eine Ziffer.',
  from: 'Ausgehen von',
  nothing: 'Nichts',
  copyOf: (name) => `Einer Kopie von „${name}“ (Einstellungen, Schlüssel, Persona)`,
  created: (name) => `„${name}“ ist angelegt.`,
  clone: 'Kopieren',
  remove: 'Löschen',
  removeTitle: (name) => `„${name}“ löschen`,
  removeNote: 'Sein Ordner bleibt 30 Tage, ohne seine Schlüssel. Seine Chats bleiben. Tippe seinen Namen, um fortzufahren.',
  removed: (name) => `„${name}“ ist gelöscht. Sein Ordner bleibt 30 Tage.`
}
