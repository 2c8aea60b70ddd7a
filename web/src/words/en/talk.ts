/** Texts for parts of a chat that are loaded on first use. */
export const talk = {
  commit: {
    writing: 'Writing a commit message…',
    files: (count: number): string => count === 1 ? 'Commit 1 file' : `Commit ${count} files`
  },
  results: {
    gone: (path: string): string => `${path} cannot be shown: it does not exist, or may not be opened here.`,
    open: (name: string): string => `Show ${name} beside the chat`,
    openInTab: (name: string): string => `Open ${name} in a new tab`,
    download: (name: string): string => `Download ${name}`,
    text: 'Show the text',
    noText: 'This document has no text that can be read.'
  },
  outline: {
    title: 'Outline',
    search: 'Search the outline',
    none: 'No messages yet',
    noMatches: (text: string): string => `No match for “${text}”.`,
    cut: 'Only the last part of this long chat is listed.',
    current: 'You are here',
    goal: 'Goal',
    cron: 'Scheduled task',
    note: 'Added while the agent worked',
    filesOnly: 'Message without text',
    notThere: 'This place could not be found. The chat may have changed: try again.'
  },
  worktree: {
    title: 'Worktree of this chat',
    none: 'This chat no longer has a worktree. It works in the repository itself.',
    branch: 'Branch',
    folder: 'Folder',
    repository: 'Repository',
    gone: 'The folder no longer exists, so the chat cannot work in it.',
    clean: 'No uncommitted changes.',
    dirty: (count: number): string => count === 1 ? '1 file has uncommitted changes.' : `${count} files have uncommitted changes.`,
    untracked: (count: number): string => count === 1 ? '1 file is untracked.' : `${count} files are untracked.`,
    ahead: (count: number): string => count === 1 ? '1 commit is on no other branch.' : `${count} commits are on no other branch.`,
    merged: 'The repository has all of its commits.',
    elsewhere: 'All of its commits are on other branches as well.',
    locked: 'Git has locked it. Run “git worktree unlock” first.',
    whileRunning: 'The agent is working in it. You can remove it when the agent is done.',
    remove: 'Remove the worktree',
    removeAnyway: 'Remove it anyway',
    goOn: 'Continue in the repository',
    losesChanges: 'If you remove it anyway, uncommitted changes and files that git ignores are lost.',
    keepsCommits: (branch: string): string => `If you remove it anyway, the folder goes and the commits stay on ${branch}.`,
    removed: 'Worktree removed. The chat continues in the repository.',
    removedKept: (branch: string): string => `Worktree removed. The branch ${branch} stays, and the chat continues in the repository.`
  }
}
