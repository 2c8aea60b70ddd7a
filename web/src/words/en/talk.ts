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
  },
  worktree: {
    title: 'Worktree of this chat',
    none: 'This chat has no worktree any more. It works in the repository itself.',
    branch: 'Branch',
    folder: 'Folder',
    repository: 'Repository',
    gone: 'The folder is not there any more. The chat cannot work in it.',
    clean: 'No changes that are not committed.',
    dirty: (count: number): string => count === 1 ? '1 file has changes that are not committed.' : `${count} files have changes that are not committed.`,
    untracked: (count: number): string => count === 1 ? '1 file is not tracked.' : `${count} files are not tracked.`,
    ahead: (count: number): string => count === 1 ? '1 commit is on no other branch.' : `${count} commits are on no other branch.`,
    merged: 'The repository has all of its commits.',
    elsewhere: 'All of its commits are on other branches as well.',
    locked: 'It is locked by git: “git worktree unlock” has to come first.',
    whileRunning: 'The agent is at work in it: it can be removed when that is done.',
    remove: 'Remove the worktree',
    removeAnyway: 'Remove it anyway',
    goOn: 'Go on in the repository',
    losesChanges: 'Removed anyway, the changes that are not committed are lost, and files that git ignores.',
    keepsCommits: (branch: string): string => `Removed anyway, the folder goes. The commits stay on ${branch}.`,
    removed: 'The worktree is removed. The chat goes on in the repository.',
    removedKept: (branch: string): string => `The worktree is removed, the branch ${branch} stays. The chat goes on in the repository.`
  }
}
