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
