import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'

const number = formatter(() => new Intl.NumberFormat('de'))

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
  categories: {
    Info: 'Auskunft', Session: 'Chat', Conversation: 'Unterhaltung', Configuration: 'Einstellungen', Commands: 'Befehle', Workspace: 'Ordner', Plugin: 'Plugins', development: 'Entwicklung', writing: 'Schreiben'
  },
  shipped: {
    'Review a change, a branch or a file for faults that matter, each with a place, a consequence and a proposal.':
      'Prüft eine Änderung, einen Branch oder eine Datei auf Fehler, die ins Gewicht fallen: jeder mit Stelle, Folge und Vorschlag.',
    'Write a commit message for staged or recent changes that tells a later reader what changed and why.':
      'Schreibt eine Commit-Nachricht, aus der man später versteht, was sich geändert hat und warum.',
    'Find the cause of a fault by evidence and mend it at its root.':
      'Findet die Ursache eines Fehlers anhand von Belegen und behebt ihn an der Wurzel.',
    'Write tests that fail when a promise of the code is broken and only then.':
      'Schreibt Tests, die genau dann fehlschlagen, wenn der Code nicht mehr hält, was er verspricht.',
    'Summarise a document, article, transcript or thread faithfully, for a reader who has to decide or act.':
      'Fasst ein Dokument, einen Artikel, eine Mitschrift oder eine Diskussion getreu zusammen, für alle, die danach entscheiden oder handeln.'
  },
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
  more: 'Mehr',
  importButton: 'Importieren…',
  exportOne: 'Exportieren',
  exportOwn: (count) => count === 1 ? 'Deinen Skill exportieren' : `Deine ${number.format(count)} Skills exportieren`,
  importTitle: 'Skills importieren',
  importNote: 'Aus einem Zip- oder Tar-Archiv oder aus einem Ordner, etwa dem Skill-Ordner eines anderen Agenten. Du siehst, was darin ist, bevor etwas gespeichert wird.',
  importReview: 'Noch ist nichts gespeichert. Importiere nur Skills, denen du vertraust: Der Agent folgt ihren Anweisungen und kann ihre Skripte ausführen.',
  chooseArchive: 'Archiv auswählen…',
  chooseFolder: 'Ordner auswählen…',
  uploadFailed: 'Das Hochladen ist fehlgeschlagen: Die Verbindung ging verloren, oder die Dateien sind größer, als der Dienst annimmt.',
  importCount: (count) => count === 1 ? '1 Skill importieren' : `${number.format(count)} Skills importieren`,
  imported: (names) => `Importiert: ${names}`,
  otherFiles: (count) => count === 1 ? '1 weitere Datei gehört zu keinem Skill.' : `${number.format(count)} weitere Dateien gehören zu keinem Skill.`,
  scripts: (count) => count === 1 ? '1 Skript' : `${number.format(count)} Skripte`,
  files: (count) => count === 1 ? '1 Datei' : `${number.format(count)} Dateien`,
  executable: 'ausführbar',
  script: 'Skript',
  cannotImport: 'Er lässt sich nicht importieren:',
  hasSame: 'Du hast diesen Skill schon, mit denselben Dateien.',
  hasOther: 'Du hast einen Skill dieses Namens, mit anderen Dateien.',
  choiceFor: (name) => `Was mit ${name} geschehen soll`,
  choiceMissing: 'Wähle, was damit geschehen soll.',
  choices: {
    ask: 'Auswählen…', take: 'Importieren', replace: 'Meinen ersetzen', keep_both: 'Beide behalten', skip: 'Weglassen'
  },
  saved: (name) => `„${name}“ ist gespeichert.`,
  deleted: (name) => `„${name}“ ist gelöscht.`,
  deleteFiles: 'Die Dateien daneben werden auch gelöscht und lassen sich nicht wiederherstellen.',
  conflict: 'Jemand anderes hat diesen Skill geändert. Deine Änderungen sind noch da.',
  keepMine: 'Meine speichern',
  takeTheirs: 'Die andere nehmen',
  theirs: 'Aktuelle Fassung'
}
