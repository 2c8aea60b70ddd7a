/** What belongs to a chat and is loaded when it is asked for. */
export const talk = {
  commit: {
    writing: 'A message is being written …',
    files: (count: number): string => count === 1 ? 'Commit 1 file' : `Commit ${count} files`
  },
  results: {
    gone: (path: string): string => `${path} cannot be shown: it is not there, or not open here.`,
    open: (name: string): string => `Show ${name} beside the chat`,
    openInTab: (name: string): string => `Open ${name} in a new tab`,
    download: (name: string): string => `Download ${name}`,
    text: 'Show the text',
    noText: 'Nothing could be read of this document.'
  },
  outline: {
    title: 'What was said',
    search: 'Search what was said',
    none: 'Nothing has been said yet',
    noMatches: (text: string): string => `Nothing holds “${text}”.`,
    cut: 'Of this long chat only the last part is listed.',
    current: 'You are here',
    goal: 'Goal',
    cron: 'Scheduled task',
    note: 'Added while it worked',
    filesOnly: 'Message without text',
    notThere: 'This place could not be found. The chat may have changed: try again.'
  }
}
