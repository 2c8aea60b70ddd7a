import { TooLarge } from '../../../ground/errors.js'
import { mostStoredBytes, type ChangesToDescribe, type Diff, type DiffKind, type StoredIn } from '../engine.js'
import { chosenChanges } from './changes.js'
import { changedFiles, type ChangedFile } from './changed-files.js'
import { countLines, type LineCounts } from './line-counts.js'
import { chosenOf, fileOf } from './paths.js'
import { recordsOf } from './records.js'
import { attempt, emptyTree, folderOnly, fromFolder, headOf, look, openRepository, type Repository } from './repository.js'
import { addedFile } from './untracked-diff.js'

/** Most bytes of a diff's text. */
export const maxDiffBytes = 512 * 1024
const maxDescribedBytes = 64 * 1024

/** See GitEngine.diff. Returns an empty diff for a path without changes, also for one that does not exist. */
export async function diff (folder: string, path: string, kind: DiffKind): Promise<Diff> {
  const repository = await openRepository(folder)
  const file = await fileOf(repository, path)
  const paths = kind === 'staged' ? await withOrigin(repository, file) : [file]
  const args = [...kind === 'staged' ? ['--cached'] : [], '--', ...paths.map((each) => each === '' ? '.' : each)]
  const counts: LineCounts = new Map()
  const [text] = await Promise.all([diffText(repository, args), countLines(repository, args, counts)])
  if (text === '' && kind === 'unstaged') {
    const added = await isUntracked(repository, file) ? await addedFile(repository, file, maxDiffBytes) : null
    if (added !== null) {
      return { path, kind, binary: added.binary, tooLarge: added.tooLarge, additions: added.additions, deletions: 0, diff: added.text }
    }
  }
  const all = [...counts.values()]
  return {
    path,
    kind,
    binary: all.some(({ binary }) => binary),
    tooLarge: text === null,
    additions: all.reduce((sum, { additions }) => sum + additions, 0),
    deletions: all.reduce((sum, { deletions }) => sum + deletions, 0),
    diff: text ?? ''
  }
}

/** See GitEngine.stored. */
export async function storedFile (folder: string, path: string, storedIn: StoredIn): Promise<Buffer | null> {
  const repository = await openRepository(folder)
  const file = await fileOf(repository, path)
  const of = storedIn === 'head' ? 'HEAD' : storedIn === 'index' ? ':0' : `${storedIn.commit}${storedIn.isParent ? '^' : ''}`
  const { stdout, exitCode } = await attempt(repository, ['cat-file', 'blob', `${of}:${file}`], { maxOutputBytes: mostStoredBytes })
  return exitCode === 0 ? stdout : null
}

/** Returns the output of `git diff`; null if it is too large. */
async function diffText (repository: Repository, args: readonly string[]): Promise<string | null> {
  try {
    const text = (await look(repository, ['diff', '--patch', '--find-renames', ...args], {
      maxOutputBytes: maxDiffBytes
    })).stdout.toString()
    // If only the time of the file has changed, git prints a heading and nothing below it.
    return /^diff --git [^\n]*\n$/.test(text) ? '' : text
  } catch (error) {
    if (error instanceof TooLarge) return null
    throw error
  }
}

/** See GitEngine.changesToDescribe. */
export async function changesToDescribe (folder: string, paths: readonly string[] | null): Promise<ChangesToDescribe> {
  const repository = await openRepository(folder)
  if (paths === null) return await described(repository, ['--cached', '--', ...folderOnly(repository)], [])
  const changes = await chosenChanges(repository, await chosenOf(repository, paths))
  const tracked = changes.filter(({ kind }) => kind !== 'untracked').flatMap(({ path, oldPath }) =>
    oldPath === null ? [path] : [path, oldPath])
  const untracked = changes.filter(({ kind, path }) => kind === 'untracked' && !path.endsWith('/')).map(({ path }) => path)
  // `git diff` accepts paths only as arguments, so paths beyond the size limit are not described.
  return await described(repository, tracked.length === 0
    ? null
    : [await headOf(repository) ?? await emptyTree(repository), '--', ...fitting(tracked)], untracked)
}

/** Returns what has changed from one commit to another. */
export async function changesBetween (repository: Repository, from: string, to: string): Promise<ChangesToDescribe> {
  return await described(repository, [from, to, '--', ...folderOnly(repository)], [])
}

const maxArgumentBytes = 96 * 1024

function fitting (paths: readonly string[]): string[] {
  let left = maxArgumentBytes
  return paths.filter((path) => (left -= Buffer.byteLength(path) + 8) > 0)
}

async function described (repository: Repository, args: string[] | null, untracked: string[]): Promise<ChangesToDescribe> {
  const files: ChangedFile[] = args === null ? [] : await changedFiles(repository, ['diff', ...args])
  const outcome = args === null
    ? null
    : await look(repository, ['diff', '--patch', '--find-renames', ...args], { maxOutputBytes: maxDescribedBytes + 1, cut: true })
  let text = outcome?.stdout.toString() ?? ''
  for (const file of untracked) {
    const left = maxDescribedBytes - Buffer.byteLength(text)
    const added = left > 0 ? await addedFile(repository, file, maxDescribedBytes) : null
    text += added?.text ?? ''
    files.push({
      path: fromFolder(repository, file) ?? file, oldPath: null, status: 'A', additions: added?.additions ?? 0, deletions: 0,
      binary: added?.binary ?? false
    })
  }
  return { ...cutAtLine(text), files: files.map(({ binary, ...file }) => file) }
}

function cutAtLine (text: string): { diff: string, truncated: boolean } {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxDescribedBytes) return { diff: text, truncated: false }
  const end = bytes.lastIndexOf(10, maxDescribedBytes - 1)
  return { diff: bytes.subarray(0, end + 1).toString(), truncated: true }
}

/** Returns the file, and the path that it was renamed from if it is staged: git detects a rename only if it looks at both. */
async function withOrigin (repository: Repository, file: string): Promise<string[]> {
  const [letter] = recordsOf(
    (await look(repository, ['diff', '--cached', '--name-status', '-z', '--no-renames', '--', file === '' ? '.' : file])).stdout
  )
  if (letter !== 'A') return [file]
  const records = recordsOf((await look(
    repository, ['diff', '--cached', '--name-status', '-z', '--find-renames', '--diff-filter=R', '--', ...folderOnly(repository)]
  )).stdout)
  const at = records.findIndex((record, index) => index % 3 === 2 && record === file)
  return at === -1 ? [file] : [file, records[at - 1] ?? file]
}

async function isUntracked (repository: Repository, file: string): Promise<boolean> {
  const { stdout } = await look(repository, ['ls-files', '--others', '--exclude-standard', '-z', '--', file === '' ? '.' : file], {
    maxOutputBytes: 64 * 1024, cut: true
  })
  return recordsOf(stdout)[0] === file
}
