const chats = (count: number): string => count === 1 ? 'Chat' : `${count} chats`

/** Texts for actions on chats and projects in the list of chats. */
export const rail = {
  pin: 'Pin',
  unpin: 'Unpin',
  rename: 'Rename',
  move: 'Move to project',
  newProject: 'New project…',
  noProject: 'No project',
  branch: 'Branch',
  share: 'Share',
  choose: 'Select',
  archive: 'Archive',
  delete: 'Delete',
  export: 'Export',
  newChatHere: 'New chat here',
  colour: 'Colour',
  setUp: 'Folder and instructions…',
  project: {
    title: (name: string): string => `Project “${name}”`,
    folder: 'Folder',
    folderHint: 'New chats begin here. Empty: the default folder.',
    instructions: 'Instructions',
    instructionsHint: 'The agent gets them in every chat of this project.',
    saved: (name: string): string => `“${name}” saved.`
  },
  removeProject: 'Remove',
  removeProjectNote: 'Its chats stay.',
  colours: { green: 'Green', blue: 'Blue', purple: 'Purple', olive: 'Olive', brown: 'Brown', grey: 'Grey' },
  chosen: (count: number): string => `${count} selected`,
  endChoosing: 'End the selection',
  archived: (count: number): string => `${chats(count)} archived.`,
  deleted: (count: number): string => `${chats(count)} deleted.`,
  moved: (count: number, project: string): string => `${chats(count)} moved to “${project}”.`,
  movedOut: (count: number): string => `${chats(count)} moved out of the project.`,
  projectRemoved: (name: string): string => `“${name}” removed. Its chats are in the list by day.`
}
