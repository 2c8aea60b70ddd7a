import { Invalid, TooLarge } from '../../../ground/errors.js'
import { type Commit, type CommitDetail, type Stash } from '../engine.js'
import { refName } from '../run.js'
import { changedFiles } from './changed-files.js'
import { maxDiffBytes } from './diff.js'
import { recordsOf, secondsOf } from './records.js'
import { commitAt, folderOnly, headOf, look, openRepository, type Repository } from './repository.js'

const maxFiles = 500
const maxStashes = 500
const fields = ['%H', '%P', '%an', '%ae', '%at', '%ct', '%D', '%s', '%b']
/** The same, but no more of the texts of a commit, which may have any size, than a list can show. Git pads what is shorter. */
const shortFields = ['%H', '%P', '%<(200,trunc)%an', '%<(200,trunc)%ae', '%at', '%ct', '%D', '%<(1000,trunc)%s', '']
const formatOf = (fields: readonly string[]): string[] => [
  `--format=${fields.join('%x00')}`, '-z', '--no-notes', '--decorate=full', '--decorate-refs=refs/heads', '--decorate-refs=refs/tags',
  '--decorate-refs=refs/remotes'
]

/** See GitEngine.log. Throws Invalid (`invalid_ref`). */
export async function log (
  folder: string, { ref, limit, offset }: { ref?: string, limit: number, offset: number }
): Promise<{ commits: Commit[], next: number | null }> {
  const repository = await openRepository(folder)
  const tip = ref === undefined ? await headOf(repository) : await commitOf(repository, ref)
  if (tip === null) return { commits: [], next: null }
  const commits = await commitsFound(repository, [`--max-count=${limit + 1}`, `--skip=${offset}`, tip, '--', ...folderOnly(repository)])
  return { commits: commits.slice(0, limit), next: commits.length > limit ? offset + limit : null }
}

/** See GitEngine.show. `ref` may also be a stash. Throws Invalid (`invalid_ref`). */
export async function show (folder: string, ref: string): Promise<CommitDetail> {
  const repository = await openRepository(folder)
  const sha = await commitOf(repository, ref)
  const scope = ['-m', '--first-parent', '--format=', sha, '--', ...folderOnly(repository)]
  const [[commit], files, diff] = await Promise.all([
    commitsFound(repository, ['--no-walk', sha, '--']),
    changedFiles(repository, ['show', ...scope]),
    look(repository, ['show', '--patch', '--find-renames', ...scope], { maxOutputBytes: maxDiffBytes }).then((outcome) =>
      outcome.stdout.toString(), (error: unknown) => {
      if (error instanceof TooLarge) return null
      throw error
    })
  ])
  if (commit === undefined) throw new Invalid('There is no such commit', 'invalid_ref')
  return { commit, files: files.slice(0, maxFiles), diff: diff ?? '', tooLarge: diff === null, truncated: files.length > maxFiles }
}

/** See GitEngine.stashes. */
export async function stashes (folder: string): Promise<Stash[]> {
  return await stashesOf(await openRepository(folder))
}

/** Returns the stashes, the latest first. */
export async function stashesOf (repository: Repository): Promise<Stash[]> {
  if (await commitAt(repository, 'refs/stash') === null) return []
  const { stdout } = await look(
    repository, ['log', '--walk-reflogs', `--max-count=${maxStashes}`, '-z', '--no-patch', '--format=%H%x00%ct%x00%gs', 'refs/stash', '--']
  )
  return inGroups(recordsOf(ended(stdout)), 3).map(([sha = '', created = '', said = ''], index) => {
    const [, branch, message] = /^(?:WIP on|On) (.+?): (.*)$/s.exec(said) ?? []
    return {
      ref: `stash@{${index}}`, sha, branch: branch === undefined || branch === '(no branch)' ? null : branch, message: message ?? said,
      createdAtS: secondsOf(created)
    }
  })
}

/**
 * Returns the sha of the commit that a name stands for: a branch, a remote branch, a tag, a stash or the beginning of a sha.
 * If several have the same name, a branch comes first. Throws Invalid (`invalid_ref`).
 */
export async function commitOf (repository: Repository, ref: string): Promise<string> {
  const isStash = /^stash@\{\d{1,6}\}$/.test(ref)
  const names = isStash ? [`refs/${ref}`] : [`refs/heads/${refName(ref)}`, `refs/remotes/${ref}`, `refs/tags/${ref}`, ref]
  for (const name of names) {
    const sha = await commitAt(repository, name)
    if (sha !== null) return sha
  }
  throw new Invalid('No branch, tag or commit has this name', 'invalid_ref')
}

/** Returns the commits that `git log` finds with these arguments, with less of their texts if these are too large. */
async function commitsFound (repository: Repository, args: string[]): Promise<Commit[]> {
  const read = async (fields: readonly string[]): Promise<Commit[]> =>
    commitsOf((await look(repository, ['log', ...formatOf(fields), '--no-patch', ...args])).stdout)
  try {
    return await read(fields)
  } catch (error) {
    if (error instanceof TooLarge) return await read(shortFields)
    throw error
  }
}

function commitsOf (output: Buffer): Commit[] {
  return inGroups(
    recordsOf(ended(output)), fields.length
  ).map(([sha = '', parents = '', author = '', email = '', authored = '', committed = '', refs = '', subject = '', body = '']) => ({
    sha,
    parents: parents.split(' ').filter((parent) => parent !== ''),
    author: author.trimEnd(),
    email: email.trimEnd(),
    authoredAtS: secondsOf(authored),
    committedAtS: secondsOf(committed),
    subject: subject.trimEnd(),
    body: body.trimEnd(),
    refs: refs.split(', ').flatMap(shortRef)
  }))
}

function shortRef (decoration: string): string[] {
  const ref = decoration.replace(/^(?:HEAD -> |tag: )/, '')
  const name = /^refs\/(?:heads|tags|remotes)\/(.+)$/.exec(ref)?.[1]
  return name === undefined || (ref.startsWith('refs/remotes/') && ref.endsWith('/HEAD')) ? [] : [name]
}

/** Adds the final null character if it is missing: in some formats git separates entries with it, in others it ends each. */
function ended (output: Buffer): Buffer {
  return output.length === 0 || output.at(-1) === 0 ? output : Buffer.concat([output, Buffer.alloc(1)])
}

function inGroups (records: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.floor(records.length / size) }, (_, index) => records.slice(index * size, (index + 1) * size))
}
