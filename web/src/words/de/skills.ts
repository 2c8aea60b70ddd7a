import { type Words } from '../en/index.js'

const number = new Intl.NumberFormat('de')

export const skills: Words['skills'] = {
  create: 'Neuer Skill',
  createNote: 'Anweisungen für eine Art von Arbeit. Der Agent liest sie, wenn die Arbeit ansteht oder du den Befehl tippst.',
  empty: 'Noch keine Skills',
  emptyText: 'Ein Skill sagt dem Agenten, wie du eine Art von Arbeit erledigt haben willst. Du schreibst ihn einmal.',
  noOwn: 'Du hast noch keine eigenen Skills.',
  exampleButton: (name) => `Probiere einen: ${name}`,
  example: {
    name: 'commit-style', description: 'Wie Commits hier geschrieben werden',
    body: '# Commits\n\n- Eine Änderung pro Commit.\n- Die erste Zeile sagt in höchstens 72 Zeichen, was für die Benutzer besser ist.'
  },
  search: 'Skills suchen',
  noMatch: 'Kein Skill passt.',
  bundles: 'Bündel',
  noBundles: 'Keine Bündel. Ein Bündel fasst mehrere Skills unter einem Befehl zusammen. Es ist eine Datei im Ordner „bundles“ des Profils.',
  bundled: (count) => count === 1 ? '1 Skill' : `${count} Skills`,
  commands: 'Befehle',
  searchCommands: 'Befehle suchen',
  noCommand: 'Kein Befehl passt.',
  origins: { profile: 'eigener', external: 'gemeinsamer Ordner', plugin: 'Plugin', claude: '~/.claude', shipped: 'eingebaut' },
  uses: (count) => count === 1 ? 'einmal benutzt' : `${number.format(count)}-mal benutzt`,
  shadows: (origins) => `Ersetzt einen Skill desselben Namens (${origins}).`,
  isOn: (name) => `${name} einschalten`,
  off: 'aus',
  edit: 'Bearbeiten',
  changeCopy: 'Kopie bearbeiten',
  view: 'Ansicht',
  views: { write: 'Schreiben', read: 'Lesen', source: 'Quelltext' },
  inSource: 'Seine Beschreibung hat mehrere Zeilen. Bearbeite sie im Quelltext.',
  purpose: 'Was soll er können?',
  purposePlaceholder: 'Release Notes aus den Commits seit dem letzten Tag schreiben',
  purposeHint: 'Der Agent liest den Skill, wenn es in deiner Anfrage darum geht.',
  how: 'Wie soll es gemacht werden?',
  howPlaceholder: '1. Sieh dir die Commits seit dem letzten Tag an.\n2. Gruppiere sie danach, was Benutzer bemerken.',
  letAgent: 'Den Agenten schreiben lassen',
  askAgent: (purpose, body) =>
    `Schreibe einen Skill dafür und speichere ihn mit deinem Werkzeug für Skills: ${purpose}${body === '' ? '' : `\n\nHalte dich an diese Notizen:\n\n${body}`}`,
  text: 'Quelltext',
  name: 'Name',
  category: 'Kategorie',
  saved: (name) => `„${name}“ ist gespeichert.`,
  deleted: (name) => `„${name}“ ist gelöscht.`,
  deleteFiles: 'Die Dateien daneben werden auch gelöscht und lassen sich nicht wiederherstellen.',
  conflict: 'Jemand anderes hat diesen Skill geändert. Deine Änderungen sind noch da.',
  keepMine: 'Meine speichern',
  takeTheirs: 'Die andere nehmen',
  theirs: 'Aktuelle Fassung'
}
