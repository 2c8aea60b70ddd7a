import { createTwoFilesPatch, diffLines } from 'diff'
import git from 'isomorphic-git'
import { lstat, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { contentsOf, isBinary } from '../contents.js'
import { type PlainRepository } from './repository.js'

export interface Patch { binary: boolean, tooLarge: boolean, additions: number, deletions: number, diff: string }

export const maxDiffBytes = 512 * 1024
/** The comparison is slow, so it stops earlier than git's would. */
const patience = { timeout: 2_000, maxEditLength: 20_000 }

/** Null when there is no file. */
export type Contents = Buffer | null

export async function blobOf ({ fs, dir, gitdir, cache }: PlainRepository, oid: string | undefined): Promise<Contents> {
  return oid === undefined ? null : Buffer.from((await git.readBlob({ fs, dir, gitdir, cache, oid })).blob)
}

/** Returns the contents of a file in a commit or tree; null if it does not exist or is a folder. */
export async function contentsAt ({ fs, dir, gitdir, cache }: PlainRepository, oid: string | null, filepath: string): Promise<Contents> {
  if (oid === null) return null
  return await git.readBlob({ fs, dir, gitdir, cache, oid, filepath }).then(({ blob }) => Buffer.from(blob), (error: unknown) => {
    if (error instanceof git.Errors.NotFoundError || error instanceof git.Errors.ObjectTypeError) return null
    throw error
  })
}

export function stagedContents (repository: PlainRepository, file: string): Promise<Contents> {
  return blobOf(repository, repository.index.entries.find(({ path, stage }) => path === file && stage !== 1 && stage !== 3)?.oid)
}

/**
 * Returns the contents of a file in the work tree, for a symlink its target. For a file too large to compare, returns a placeholder that
 * is larger than `maxDiffBytes`.
 */
export async function contentsIn ({ dir, folder }: PlainRepository, file: string): Promise<Contents> {
  const place = join(dir, file)
  const stats = await lstat(place).catch(() => null)
  if (stats?.isSymbolicLink() === true) return await readlink(place, { encoding: 'buffer' }).catch(() => null)
  const contents = stats === null ? null : await contentsOf({ top: dir, folder }, file, maxDiffBytes)
  return contents === 'too-large' ? Buffer.alloc(maxDiffBytes + 1, 'x') : contents?.bytes ?? null
}

/** Returns the mode that git would record for a file in the work tree. */
export async function modeIn ({ dir }: PlainRepository, file: string): Promise<string> {
  const stats = await lstat(join(dir, file)).catch(() => null)
  return stats?.isSymbolicLink() === true ? '120000' : ((stats?.mode ?? 0) & 0o100) === 0 ? '100644' : '100755'
}

export function stagedMode ({ index }: PlainRepository, file: string): string {
  return (index.entries.find(({ path }) => path === file)?.mode ?? 0o100644).toString(8)
}

/** Returns a unified diff with git's heading. `mode` is the mode of a new or deleted file. Pure. */
export function patchOf (file: string, before: Contents, after: Contents, mode = '100644'): Patch {
  const none: Patch = { binary: false, tooLarge: false, additions: 0, deletions: 0, diff: '' }
  if ((before?.length ?? 0) > maxDiffBytes || (after?.length ?? 0) > maxDiffBytes) return { ...none, tooLarge: true }
  const heading = `diff --git a/${file} b/${file}\n${before === null ? `new file mode ${mode}\n` : ''}${after === null ? `deleted file mode ${mode}\n` : ''}`
  if (hasBinary(before, after)) return { ...none, binary: true, diff: `${heading}Binary files differ\n` }
  const [from, to] = [before?.toString() ?? '', after?.toString() ?? '']
  const patch = createTwoFilesPatch(before === null
    ? '/dev/null'
    : `a/${file}`, after === null ? '/dev/null' : `b/${file}`, from, to, undefined, undefined, patience)
  if (patch === undefined) return { ...none, tooLarge: true }
  const body = patch.slice(patch.indexOf('\n--- ') + 1).replace(/^(---|\+\+\+) (.*)\t$/gm, '$1 $2')
  const lines = body.split('\n').slice(2)
  const additions = lines.filter((line) => line.startsWith('+')).length
  const deletions = lines.filter((line) => line.startsWith('-')).length
  const diff = additions + deletions === 0 ? heading : heading + body
  return diff.length > maxDiffBytes ? { ...none, tooLarge: true } : { ...none, additions, deletions, diff }
}

/** Counts added and removed lines; 0 for binary files and if counting would take too long. Pure. */
export function lineCounts (before: Contents, after: Contents): { additions: number, deletions: number, binary: boolean } {
  const nothing = { additions: 0, deletions: 0 }
  if (hasBinary(before, after)) return { ...nothing, binary: true }
  if ((before?.length ?? 0) > maxDiffBytes || (after?.length ?? 0) > maxDiffBytes) return { ...nothing, binary: false }
  const changes = diffLines(before?.toString() ?? '', after?.toString() ?? '', patience) ?? []
  const count = (kind: 'added' | 'removed'): number => changes.reduce((sum, change) => sum + (change[kind] ? change.count ?? 0 : 0), 0)
  return { additions: count('added'), deletions: count('removed'), binary: false }
}

function hasBinary (...sides: Contents[]): boolean {
  return sides.some((contents) => contents !== null && isBinary(contents))
}
