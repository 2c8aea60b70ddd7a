import { Invalid } from '../../ground/errors.js'
import { asName, namesOf, readable } from '../checkpoints/names.js'
import { succeeding, type ProgramsOff } from '../git/index.js'
import { longGit, withIndex } from './states.js'

/** A file that differs between two states. A renamed file counts as two. */
export interface ChangedFile {
  /** The readable path. */
  path: string
  /** The path as git stores it, in Latin-1: one character per byte. */
  name: string
  status: 'added' | 'modified' | 'deleted'
  /** Number of lines; 0 for binary files. */
  additions: number
  deletions: number
  binary: boolean
  /** The file in the second state; null if it does not exist there. */
  entry: { mode: string, blob: string } | null
}

/** A part of the changes: a whole file (`hunks` is null), or the hunks of a file with these numbers, from 0. */
export interface Part { path: string, hunks: number[] | null }

const maxDiffBytes = 512 * 1024
const submodule = '160000'
const plain = ['--no-renames', '--ignore-submodules=all'] as const

/** Returns the files of a folder that differ between two states, by path. Submodules are left out. `off`: see GitOptions. */
export async function changesBetween (
  top: string, from: string, to: string, prefix: string, off?: ProgramsOff
): Promise<ChangedFile[]> {
  const places = ['--', ...(prefix === '' ? [] : [prefix])]
  const listed = await succeeding(top, ['diff', '--raw', '--numstat', '-z', '--no-abbrev', ...plain, from, to, ...places], { ...longGit, off })
  const fields = namesOf(listed.stdout)
  // First two fields per file, of which the first begins with a colon, then one field per file with its counts.
  const end = fields.findIndex((field, index) => index % 2 === 0 && !field.startsWith(':'))
  const [raw, numbers] = end === -1 ? [fields, []] : [fields.slice(0, end), fields.slice(end)]
  const counts = new Map(numbers.map((line) => {
    const [additions = '', deletions = '', ...name] = line.split('\t')
    return [name.join('\t'), { additions: Number(additions) || 0, deletions: Number(deletions) || 0, binary: additions === '-' }] as const
  }))
  const files: ChangedFile[] = []
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [modes = '', name = ''] = [raw[index], raw[index + 1]]
    const [before = '', mode = '', , blob = '', letter = ''] = modes.slice(1).split(' ')
    if (mode === submodule || before === submodule) continue
    const status = letter === 'A' ? 'added' : letter === 'D' ? 'deleted' : 'modified'
    const none = { additions: 0, deletions: 0, binary: false }
    files.push({ path: readable(name), name, status, ...counts.get(name) ?? none, entry: status === 'deleted' ? null : { mode, blob } })
  }
  return files
}

/** Returns the unified diff of one file. Throws TooLarge (`too_large`) above 512 KiB, and Invalid for a name that is not UTF-8. */
export async function diffOf (top: string, from: string, to: string, file: ChangedFile): Promise<string> {
  return (await rawDiff(top, from, to, file)).toString()
}

/** Returns the diff as bytes, in the encoding of the file. */
async function rawDiff (top: string, from: string, to: string, { path, name }: ChangedFile): Promise<Buffer> {
  // Arguments of programs are UTF-8, so other names cannot be passed.
  if (asName(path) !== name) throw new Invalid('The name of this file is not UTF-8, so it can only be taken as a whole')
  return (await succeeding(top, ['diff', '--patch', ...plain, from, to, '--', path], { maxOutputBytes: maxDiffBytes })).stdout
}

/** Returns the diffs of all files, one after the other, cut at `limit` bytes. */
export async function wholeDiff (top: string, from: string, to: string, prefix: string, limit: number): Promise<string> {
  const places = ['--', ...(prefix === '' ? [] : [prefix])]
  return (await succeeding(top, ['diff', '--patch', ...plain, from, to, ...places], { ...longGit, maxOutputBytes: limit, cut: true })).stdout.toString()
}

/**
 * Creates the tree of `from` with some of the changes up to `to`. Returns null if a part is not among the changes. Throws Invalid if a file
 * can only be taken as a whole, and what diffOf throws.
 */
export async function treeWithParts (
  top: string, from: string, to: string, { files, parts }: { files: readonly ChangedFile[], parts: readonly Part[] }
): Promise<string | null> {
  const patches: Buffer[] = []
  const entries: string[] = []
  for (const { path, hunks } of parts) {
    const file = files.find((changed) => changed.path === path)
    if (file === undefined) return null
    const { entry, name } = file
    if (hunks === null) {
      entries.push(entry === null ? `0 ${'0'.repeat(from.length)}\t${name}\0` : `${entry.mode} ${entry.blob}\t${name}\0`)
      continue
    }
    // As Latin-1, so that bytes that are not UTF-8 stay unchanged.
    const patch = withHunks((await rawDiff(top, from, to, file)).toString('latin1'), hunks)
    if (patch === null) return null
    patches.push(Buffer.from(patch, 'latin1'))
  }
  return await withIndex(top, async (git) => {
    await git(['read-tree', from])
    if (entries.length > 0) await git(['update-index', '-z', '--index-info'], { input: Buffer.from(entries.join(''), 'latin1') })
    for (const input of patches) await git(['apply', '--cached', '--recount', '--whitespace=nowarn', '-'], { input })
    return await git(['write-tree'])
  })
}

/** Reduces a diff to some of its hunks. Returns null if a hunk does not exist. Throws Invalid if the type of the file changes. */
function withHunks (diff: string, hunks: readonly number[]): string | null {
  if (/\ndiff --git /.test(diff)) throw new Invalid('This file becomes one of another kind, so it can only be taken as a whole')
  // Git's lines end only with a line feed; `^` would also match after other line separators in the text.
  const [head = '', ...all] = diff.split(/(?<=\n)(?=@@ )/)
  const chosen = [...new Set(hunks)].sort((one, other) => one - other)
  if (chosen.length === 0 || chosen.some((number) => all[number] === undefined)) return null
  return head + chosen.map((number) => all[number] ?? '').join('')
}
