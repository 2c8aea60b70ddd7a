import { gitEntries, gitText, runGit } from '../../workspace/git/index.js'

/** For commands that write or list many files. */
export const manyFiles = { timeoutMs: 120_000, maxOutputBytes: 64 * 1024 * 1024 } as const
/** A stash has no author; git uses the same name if it knows none. */
const stashAuthor = {
  GIT_AUTHOR_NAME: 'git stash', GIT_AUTHOR_EMAIL: 'git@stash', GIT_COMMITTER_NAME: 'git stash', GIT_COMMITTER_EMAIL: 'git@stash'
} as const
export const stashing = { ...manyFiles, environment: stashAuthor } as const

export const isDirty = async (root: string): Promise<boolean> =>
  await gitText(root, ['status', '--porcelain', '--untracked-files=no', '-z'], manyFiles) !== ''

/** Returns the changes of tracked files as a commit, without changing any file; null if there are none. */
export async function changesOf (root: string): Promise<string | null> {
  const created = await gitText(root, ['stash', 'create'], stashing)
  return created === '' ? null : created
}

export const treeOf = async (root: string, commit: string): Promise<string> => await gitText(root, ['rev-parse', `${commit}^{tree}`])

/** Moves the changes of tracked files into a stash and returns its commit. */
export async function pushStash (root: string, label: string): Promise<string> {
  await gitText(root, ['stash', 'push', '--quiet', '--message', label], stashing)
  return await gitText(root, ['rev-parse', '--verify', 'refs/stash'])
}

/** Applies a stash and drops it. Returns false if it does not fit: then it is kept, and the files are as before. */
export async function popStash (root: string, sha: string): Promise<boolean> {
  for (const staged of [['--index'], []]) {
    if ((await runGit(root, ['stash', 'apply', '--quiet', ...staged, sha], stashing)).exitCode === 0) {
      await dropStash(root, sha)
      return true
    }
    // Only files of the stash can have been changed, and the stash still holds them.
    const files = await gitEntries(root, ['diff', '--name-only', '--no-renames', '-z', `${sha}^1`, sha, '--'], manyFiles)
    for (const file of files) await runGit(root, ['restore', '--source=HEAD', '--staged', '--worktree', '--', file], manyFiles)
  }
  return false
}

export async function dropStash (root: string, sha: string): Promise<void> {
  // Stashes are numbered from the latest, so the name of a stash changes.
  const ref = (await stashes(root)).find((stash) => stash.sha === sha)?.ref
  if (ref !== undefined) await runGit(root, ['stash', 'drop', '--quiet', ref], stashing)
}

/** Returns the commit of the stash with a label; null if there is none. */
export async function labelledStash (root: string, label: string): Promise<string | null> {
  return (await stashes(root)).find(({ subject }) => subject.endsWith(label))?.sha ?? null
}

export async function isStashed (root: string, sha: string): Promise<boolean> {
  return (await stashes(root)).some((stash) => stash.sha === sha)
}

async function stashes (root: string): Promise<Array<{ sha: string, ref: string, subject: string }>> {
  const listed = await gitText(root, ['stash', 'list', '--format=%H %gd %gs'])
  return listed.split('\n').filter((line) => line !== '').map((line) => {
    const [sha = '', ref = '', ...subject] = line.split(' ')
    return { sha, ref, subject: subject.join(' ') }
  })
}
