export const chat = {
  rename: 'Rename',
  pin: 'Pin',
  unpin: 'Unpin',
  archive: 'Archive',
  unarchive: 'Restore from the archive',
  worktree: 'Worktree',
  duplicate: 'Duplicate',
  export: 'Export',
  share: 'Share …',
  sharing: {
    title: 'Share this chat?',
    what: (title: string, count: number): string =>
      `“${title}” with ${count === 1 ? 'its message' : `all its ${count} messages`} becomes a page that anybody who has the address can read, without signing in.`,
    note: 'What the agent did, and the output of its tools, are on the page. Known credentials are masked. Later messages are not added.',
    preview: 'See the page first',
    share: 'Share it',
    doneTitle: 'This chat is shared',
    kept: 'Copy the address now: it is not shown again.',
    all: 'Everything that is shared',
    copy: 'Copy the address',
    revoke: 'Take it back',
    revoked: 'The page is taken back.',
    close: 'Done'
  },
  yoloStep: {
    title: 'Run everything without asking?',
    means: 'The agent does whatever it decides to, in this chat, without waiting for you:',
    facts: [
      'It runs commands, changes and deletes files, and sends requests.', 'What waits for your answer now is allowed at once.',
      'It ends when you switch it off or the service restarts.'
    ],
    back: 'Keep asking',
    confirm: 'Run without asking'
  },
  projects: {
    title: 'Projects',
    manage: 'Projects …',
    name: 'New project',
    example: 'Such as: Website',
    create: 'Make it',
    createAndMove: 'Make it and move this chat in',
    moved: (name: string): string => `The chat is in “${name}” now.`,
    none: 'A project holds chats that belong together, in the list of chats.',
    nameOf: (name: string): string => `Name of “${name}”`,
    colourOf: (name: string): string => `Colour of “${name}”`,
    delete: 'Delete',
    deleteTitle: (name: string): string => `Delete “${name}”?`,
    deleteNote: (name: string): string => `Delete “${name}”? Its chats stay, outside of any project.`,
    keep: 'Keep it'
  },
  moveTo: (project: string): string => `Move to ${project}`,
  moveOut: 'Remove from its project',
  otherFolder: 'Work in another folder',
  undoExchange: 'Undo the last exchange',
  exchangeUndone: 'Last exchange undone.',
  openKept: 'Open it as it was',
  delete: 'Delete',
  deleteTitle: 'Delete this chat?',
  deleteText: 'It and everything in it will be gone for good.',
  archived: 'Archived.',
  yolo: 'Run everything without asking …',
  side: {
    question: 'On the side',
    task: 'In the background',
    lost: 'The answer is no longer kept.',
    states: {
      running: 'working', stopping: 'stopping', done: 'done', elsewhere: 'Its result was shown in another window.',
      gone: 'Its chat no longer exists.'
    }
  },
  noEffort: 'This model has no effort setting.',
  noPersonalities: 'There are no personalities yet. Make one in Settings, Personalities.',
  usage: {
    title: 'What this chat has used',
    window: (percent: number): string => `${percent}% of the context is used`,
    held: (held: string, length: string): string => `${held} of ${length} tokens`,
    threshold: (tokens: string): string => `summarised at ${tokens}`,
    model: 'Model',
    input: 'Tokens read',
    output: 'Tokens written',
    cache: 'From the cache',
    cost: 'Cost',
    unpriced: 'price not known',
    last: 'Last turn',
    speed: (tokensPerSecond: number): string => `${tokensPerSecond} tokens a second`,
    compress: 'Summarise the earlier part now',
    all: 'All usage and budgets'
  }
}
