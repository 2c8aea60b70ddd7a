import { Invalid } from '../../ground/errors.js'
import { bytesAsText, namesOf, readable } from '../checkpoints/names.js'
import { succeeding, type ProgramsOff } from '../git/index.js'
import { longGit, withIndex } from './states.js'

/** A file that two states hold differently; renamed ones are two. */
export interface ChangedFile {
  /** As people read it. */
  path: string
  /** As git has it, in Latin-1: a character for each byte. */
  name: string
  status: 'added' | 'modified' | 'deleted'
  /** Lines; 0 for binary files. */
  additions: number
  deletions: number
  binary: boolean
  /** As git has it in the second state; null: it is not there. */
  entry: { mode: string, blob: string } | null
}

/** Parts of what one state changes: whole files, or of a file the hunks with these numbers, from 0. */
export interface Part { path: string, hunks: number[] | null }

const maxDiffBytes = 512 * 1024
const submodule = '160000'
const plain = ['--no-renames', '--ignore-submodules=all'] as const

/** What of a folder two states hold differently, by path. Submodules are left out. `off`: see GitOptions. */
export async function changesBetween (
  top: string, from: string, to: string, prefix: string, off?: ProgramsOff
): Promise<ChangedFile[]> {
  const places = ['--', ...(prefix === '' ? [] : [prefix])]
  const listed = await succeeding(top, ['diff', '--raw', '--numstat', '-z', '--no-abbrev', ...plain, from, to, ...places], { ...longGit, off })
  const fields = namesOf(listed.stdout)
  // Two fields for each file, the first with a colon, and behind them all one for each with its counts.
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

/** The difference of one file as unified text. Throws TooLarge (`too_large`) above 512 KiB, and Invalid for a name that is not UTF-8. */
export async function diffOf (top: string, from: string, to: string, file: ChangedFile): Promise<string> {
  return (await rawDiff(top, from, to, file)).toString()
}

/** In whatever encoding the file has. */
async function rawDiff (top: string, from: string, to: string, { path, name }: ChangedFile): Promise<Buffer> {
  // Arguments of programs are UTF-8.
  if (bytesAsText(path) !== name) throw new Invalid('The name of this file is not UTF-8, so it can only be taken as a whole')
  return (await succeeding(top, ['diff', '--patch', ...plain, from, to, '--', path], { maxOutputBytes: maxDiffBytes })).stdout
}

/** The differences of all files, one after the other and cut. */
export async function wholeDiff (top: string, from: string, to: string, prefix: string, limit: number): Promise<string> {
  const places = ['--', ...(prefix === '' ? [] : [prefix])]
  return (await succeeding(top, ['diff', '--patch', ...plain, from, to, ...places], { ...longGit, maxOutputBytes: limit, cut: true })).stdout.toString()
}

/**
 * The tree of `from` with parts of what `to` changes. Null where a part is none of it. Throws Invalid where a file can only be taken as a
 * whole, and what diffOf throws.
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
    // Byte by byte: what is no UTF-8 stays as it is.
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

/** A difference with some of its hunks only. Null where it has no such hunk. Throws Invalid for a file that becomes a link, or the like. */
function withHunks (diff: string, hunks: readonly number[]): string | null {
  if (/\ndiff --git /.test(diff)) throw new Invalid('This file becomes one of another kind, so it can only be taken as a whole')
  // Git's lines end with a line feed only; `^` would also begin one behind other signs in the text.
  const [head = '', ...all] = diff.split(/(?<=\n)(?=@@ )/)
  const chosen = [...new Set(hunks)].sort((one, other) => one - other)
  if (chosen.length === 0 || chosen.some((number) => all[number] === undefined)) return null
  return head + chosen.map((number) => all[number] ?? '').join('')
}
