import git, { type PromiseFsClient } from 'isomorphic-git'
import { lstat, open, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { entriesIn } from '../../../ground/files/folder-entries.js'
import { readRegularText, writeRegularFile } from '../../../ground/files/regular-file.js'
import { Conflict, Invalid } from '../../../ground/errors.js'
import { otherOperation } from '../errors.js'
import { refuseLinkedStorage } from '../storage.js'
import { needsGit } from './limits.js'
import { changesOf } from './reads.js'
import { parseConfig, regularFiles, treePath, type PlainRepository } from './repository.js'

const underWay = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply', 'sequencer', 'BISECT_LOG']
const gates = ['pre-commit', 'prepare-commit-msg', 'commit-msg']

export async function stage (repository: PlainRepository, paths: string[]): Promise<void> {
  const files = await changedIn(repository, paths)
  await refuseUnknown(repository, paths)
  await refuseRewriting(repository)
  await changingIndex(repository, async (context) => {
    for (const file of files) {
      const isThere = (await lstat(join(context.dir, file)).catch(() => null)) !== null
      await (isThere ? git.add({ ...context, filepath: file }) : git.remove({ ...context, filepath: file }))
    }
  })
}

export async function unstage (repository: PlainRepository, paths: string[]): Promise<void> {
  const files = await changedIn(repository, paths)
  await changingIndex(repository, async (context) => {
    for (const file of files) {
      await (repository.head === null
        ? git.remove({ ...context, filepath: file })
        : git.resetIndex({ ...context, filepath: file }))
    }
  })
}

/** Where git looks for the author outside of the repository. Passed in, because a worker thread has no environment of its own. */
interface AuthorSources {
  /** Folder of the user's own settings. */
  home: string | null
  /** From the environment (GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL). */
  name: string | undefined
  email: string | undefined
}

export async function commit (repository: PlainRepository, message: string, sources: AuthorSources): Promise<string> {
  const { branch, prefix, gitdir, config } = repository
  if (prefix !== '') throw needsGit('commits of a part of a repository')
  if (branch === null) throw needsGit('commits without a branch')
  const author = await identity(repository, sources)
  if (/^(?:true|yes|on|1)$/i.test(config.get('commit.gpgsign') ?? '')) throw needsGit('signed commits')
  if (config.has('core.hookspath') || (await entriesIn(join(gitdir, 'hooks'))).some(({ name }) => gates.includes(name))) {
    throw needsGit('hooks that decide about commits')
  }
  const changes = await changesOf(repository)
  if (changes.some((change) => change.conflict)) throw new Conflict('There are conflicts. Resolve them first', 'conflict')
  if (!changes.some((change) => change.staged)) throw new Invalid('Nothing is staged', 'nothing_to_commit')
  return await changingIndex(repository, async (context) => await withLock(join(gitdir, 'refs/heads', `${branch}.lock`), async () => {
    const now = await git.resolveRef({ ...context, ref: 'HEAD' }).catch(() => null)
    if (now !== repository.head) throw otherOperation()
    return await git.commit({ ...context, message: tidied(message), author })
  }))
}

/** Tidies a message as git does: no blanks at the ends of lines, and at most one empty line between others. */
function tidied (message: string): string {
  return `${message.replaceAll(/(?<![^\S\n])[^\S\n]+$/gm, '').replaceAll(/\n{3,}/g, '\n\n').replace(/^\n+/, '').trimEnd()}\n`
}

/** Returns the changed files among the client's paths; a folder stands for its contents. */
async function changedIn (repository: PlainRepository, paths: string[]): Promise<string[]> {
  if (paths.length === 0) throw new Invalid('Name at least one file')
  const chosen = await Promise.all(paths.map(async (path) => await treePath(repository, path)))
  const changes = await changesOf(repository)
  return changes.filter(({ path }) => chosen.some((one) => one === '' || one === path || path.startsWith(`${one}/`))).map(({ path }) =>
    path)
}

/** Throws Invalid (`git_failed`) for a path that is neither in git nor in the work tree. */
async function refuseUnknown (repository: PlainRepository, paths: string[]): Promise<void> {
  const { dir, index } = repository
  for (const path of paths) {
    const file = await treePath(repository, path)
    const isKnown = file === '' || index.entries.some((entry) => entry.path === file || entry.path.startsWith(`${file}/`))
    if (!isKnown && await lstat(join(dir, file)).then(() => false, () => true)) {
      throw new Invalid('git refused: one of the paths is not a file', 'git_failed')
    }
  }
}

type Context = Pick<PlainRepository, 'dir' | 'gitdir' | 'cache'> & { fs: PromiseFsClient }

/** Holds git's own lock on the index, and replaces the index atomically, as git does. */
async function changingIndex<T> (repository: PlainRepository, work: (context: Context) => Promise<T>): Promise<T> {
  const { dir, gitdir, index } = repository
  await refuseLinkedStorage({ gitDir: gitdir, commonDir: gitdir })
  for (const name of underWay) {
    if (await lstat(join(gitdir, name)).then(() =>
      true, () => false)) throw new Conflict('A merge, rebase or similar is in progress. Finish or abort it first', 'operation_in_progress')
  }
  if (!index.isPlain) throw needsGit('an index of this kind')
  const path = join(gitdir, 'index')
  let written: Uint8Array | null = null
  const promises = {
    ...regularFiles,
    writeFile: async (target: string, bytes: Uint8Array, options?: { mode?: number }) => {
      if (target === path) written = bytes
      else await writeRegularFile(target, bytes, options)
    }
  }
  return await withLock(`${path}.lock`, async (lock) => {
    const result = await work({ dir, gitdir, cache: {}, fs: { promises } })
    if (written !== null) {
      await writeFile(lock, written)
      await rename(lock, path)
    }
    return result
  })
}

async function withLock<T> (lock: string, work: (lock: string) => Promise<T>): Promise<T> {
  const handle = await open(lock, 'wx').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? otherOperation() : error
  })
  await handle.close()
  try {
    return await work(lock)
  } finally {
    await rm(lock, { force: true })
  }
}

/** Throws where git would convert files before storing them, because the embedded engine stores them as they are. */
async function refuseRewriting ({ dir, gitdir, config, index }: PlainRepository): Promise<void> {
  if (/^(?:true|yes|on|1|input)$/i.test(config.get('core.autocrlf') ?? '') || config.has('core.attributesfile')) {
    throw needsGit('line ends that are converted')
  }
  const names = ['.gitattributes', ...index.entries.map(({ path }) => path).filter((path) => path.endsWith('/.gitattributes'))]
  for (const place of [join(gitdir, 'info/attributes'), ...names.map((name) => join(dir, name))]) {
    const text = await readRegularText(place).catch(() => '')
    if (/\b(?:filter|text|eol|crlf|ident|working-tree-encoding)\b/.test(text.replaceAll(/#.*$/gm, ''))) {
      throw needsGit('attributes that change how files are stored')
    }
  }
}

async function identity (
  { config }: PlainRepository, { home, name: ownName, email: ownEmail }: AuthorSources
): Promise<{ name: string, email: string }> {
  const own = home === null
    ? ''
    : await readRegularText(join(home, '.gitconfig')).catch(async () =>
      await readRegularText(join(home, '.config/git/config')).catch(() => ''))
  const users = parseConfig(own)
  const name = ownName ?? config.get('user.name') ?? users.get('user.name')
  const email = ownEmail ?? config.get('user.email') ?? users.get('user.email')
  if (name === undefined || email === undefined) {
    throw new Invalid('git does not know the author of commits. Set user.name and user.email in ~/.gitconfig', 'identity_missing')
  }
  return { name, email }
}
