import { type Words } from '../en/index.js'

const chats = (count: number): string => count === 1 ? 'Chat' : `${count} Chats`

/** Texts for actions on chats and projects in the list of chats. */
export const rail: Words['rail'] = {
  pin: 'Anheften',
  unpin: 'Lösen',
  rename: 'Umbenennen',
  move: 'In ein Projekt verschieben',
  newProject: 'Neues Projekt…',
  noProject: 'Kein Projekt',
  branch: 'Abzweigen',
  share: 'Teilen',
  choose: 'Auswählen',
  archive: 'Archivieren',
  delete: 'Löschen',
  export: 'Exportieren',
  newChatHere: 'Neuer Chat hier',
  colour: 'Farbe',
  setUp: 'Ordner und Anweisungen…',
  project: {
    title: (name) => `Projekt „${name}“`,
    folder: 'Ordner',
    folderHint: 'Neue Chats beginnen hier. Leer: der Standardordner.',
    instructions: 'Anweisungen',
    instructionsHint: 'Der Agent bekommt sie in jedem Chat dieses Projekts.',
    saved: (name) => `„${name}“ gespeichert.`
  },
  removeProject: 'Entfernen',
  removeProjectNote: 'Seine Chats bleiben.',
  colours: { green: 'Grün', blue: 'Blau', purple: 'Lila', olive: 'Oliv', brown: 'Braun', grey: 'Grau' },
  chosen: (count) => `${count} ausgewählt`,
  endChoosing: 'Auswahl beenden',
  archived: (count) => `${chats(count)} archiviert.`,
  deleted: (count) => `${chats(count)} gelöscht.`,
  moved: (count, project) => `${chats(count)} nach „${project}“ verschoben.`,
  movedOut: (count) => `${chats(count)} aus dem Projekt genommen.`,
  projectRemoved: (name) => `„${name}“ entfernt. Seine Chats stehen in der Liste nach Tagen.`
}
