import { type Words } from '../en/index.js'

const of = (count: number, one: string, more: string): string => count === 0 ? '' : `${count} ${count === 1 ? one : more}`

export const plugins: Words['plugins'] = {
  note: 'Ein Plugin ist ein Ordner mit Befehlen, Skills und MCP-Servern, aufgebaut wie für Claude Code. Lege ihn in diesen Ordner des Profils:',
  none: 'Noch keine Plugins.',
  on: 'Eingeschaltet',
  off: 'Ausgeschaltet',
  changed: 'Geändert',
  changedNote: 'Seine Dateien haben sich geändert, seit du es eingeschaltet hast. Die frühere Fassung bleibt in Gebrauch, bis du die neue durchgesehen hast.',
  look: 'Durchsehen und einschalten',
  lookAgain: 'Änderungen durchsehen',
  switchOn: 'Einschalten',
  useNew: 'Neue Fassung verwenden',
  switchOff: 'Ausschalten',
  isOn: (name) => `„${name}“ ist eingeschaltet.`,
  isOff: (name) => `„${name}“ ist ausgeschaltet.`,
  by: (author, version) =>
    [version === '' ? '' : `Version ${version}`, author === '' ? '' : `von ${author}`].filter((part) => part !== '').join(' '),
  counts: (commands, skills, servers) =>
    [of(commands, 'Befehl', 'Befehle'), of(skills, 'Skill', 'Skills'), of(servers, 'MCP-Server', 'MCP-Server')].filter((part) => part !== '').join(' · '),
  contents: 'Inhalt',
  commands: 'Befehle',
  skills: 'Skills',
  servers: 'MCP-Server',
  runs: 'startet auf diesem Rechner:',
  asks: 'verbindet sich mit:',
  sandboxed: 'in einer Sandbox',
  variables: (names) => `Es bekommt diese Werte aus der .env des Profils: ${names}`,
  nothing: 'Es enthält nichts, was dieser Dienst verwendet.',
  unused: (names) => `Hier nicht verwendet: ${names}`,
  files: (count) => count === 1 ? '1 Datei' : `${count} Dateien`,
  moreFiles: (count) => `${count} weitere Dateien stehen nicht in der Liste.`,
  changes: { added: 'neu', changed: 'geändert', removed: 'entfernt' },
  executable: 'Programm',
  gone: 'Die Datei gibt es nicht mehr.',
  trust: 'Das Modell liest, was ein Plugin enthält, und seine Server laufen mit deinen Rechten. Schalte nur Plugins ein, denen du vertraust.'
}
