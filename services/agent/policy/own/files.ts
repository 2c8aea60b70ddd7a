import { type ProgramCall, findRoots } from '../program-call.js'
import { gitCommandAt } from '../tables/git-command.js'
import { hasOption, operandsOf, pairsOf, type Options } from '../tables/options.js'
import { isOfService } from '../paths.js'

/** A path that a program changes. `link`: if it is a link, the link itself; `all`: everything below it too. */
interface Change { word: string, link?: boolean, all?: boolean }

const plain = (args: readonly string[]): string[] => operandsOf(args, {})
const to = (words: readonly string[], how: Omit<Change, 'word'> = {}): Change[] => words.map((word) => ({ word, ...how }))
const isRecursive = (args: readonly string[]): boolean => hasOption(args, 'rR', '--recursive')

const sizes: Options = { short: 'srogmtuS', long: ['size', 'reference', 'owner', 'group', 'mode', 'suffix'] }
const target: Options = { short: 't', long: ['target-directory'] }

/** Returns the values of options, however they are written; long names may be abbreviated. */
function valuesOf (args: readonly string[], short: string, ...long: string[]): string[] {
  return pairsOf(args, { short, long }).filter(({ name }) => name.startsWith('--')
    ? long.some((known) => known.startsWith(name.slice(2)) && name.length > 3)
    : short.includes(name.slice(1))).map(({ value }) => value)
}

/** Returns the destinations of a copy or a move: the last operand, or the value of an option, whose name may be abbreviated. */
export const arrives = (args: readonly string[]): string[] => [
  ...valuesOf(args, 't', 'target-directory'),
  ...args.flatMap((arg, index) => /^--t[a-z-]*$/.test(arg) ? [args[index + 1] ?? ''] : /^--t[a-z-]*=([^]*)$/.exec(arg)?.[1] ?? []),
  ...operandsOf(args, target).slice(-1)
].filter((word) => word !== '')

/** Returns the folders that a program's options name for it to work in; the current one if they name none. */
const workplace = (args: readonly string[], short: string, ...long: string[]): string[] => {
  const named = valuesOf(args, short, ...long)
  return named.length > 0 ? named : ['.']
}

/** Subcommands of git that write to, or remove from, the folder that it works in. `gitSweeps`: those that remove untracked files too. */
const gitWrites = /^(?:clean|checkout|restore|reset|rm|mv|stash|switch|pull|merge|rebase|apply|am|cherry-pick|revert|clone|init|worktree|sparse-checkout|read-tree|checkout-index|gc|filter-branch|filter-repo|update-ref|config|commit|add|tag|branch|fetch)$/
const gitSweeps = (args: readonly string[]): boolean => args.includes('clean')
  ? !hasOption(args, 'n', '--dry-run')
  : args.includes('stash') && hasOption(args, 'ua', '--include-untracked', '--all')

function ofGit (args: readonly string[]): Change[] {
  const at = gitCommandAt(args)
  const subcommand = args[at] ?? ''
  if (!gitWrites.test(subcommand)) return []
  const folders = workplace(args.slice(0, at), 'C', 'git-dir', 'work-tree')
  const targets = ['clone', 'init', 'worktree'].includes(subcommand) ? operandsOf(args.slice(at + 1), { short: 'c' }) : []
  return [...to(folders, { all: gitSweeps(args) }), ...to(targets)]
}

function ofTar (args: readonly string[]): Change[] {
  const mode = `${/^[a-zA-Z]+$/.test(args[0] ?? '') ? args[0] : ''}`
  const extracts = mode.includes('x') || hasOption(args, 'x', '--extract', '--get')
  const archive = mode.includes('f') ? plain(args).slice(1, 2) : valuesOf(args, 'f', 'file')
  if (extracts) return to(workplace(args, 'C', 'directory'))
  const removes = hasOption(args, '', '--remove-files') ? to(plain(args), { all: true }) : []
  return /t/.test(mode) || hasOption(args, 't', '--list') ? [] : [...to(archive), ...removes]
}

type Changes = (args: readonly string[]) => Change[]
const allOperands: Changes = (args) => to(plain(args))
const table = new Map<string, Changes>([
  ...['truncate', 'tee', 'sponge', 'touch', 'mkdir', 'mkfifo', 'mknod', 'patch', 'split', 'csplit', 'gunzip', 'bunzip2', 'unxz', 'logrotate', 'umount', 'setfattr',
    'vi', 'vim', 'nvim', 'ex', 'ed', 'nano', 'emacs', 'pico', 'micro', 'fallocate'].map((name): [string, Changes] =>
    [name, (args) => to(operandsOf(args, sizes))]),
  ...['rm', 'rmdir', 'unlink', 'shred', 'trash', 'trash-put', 'wipe', 'srm'].map((name): [string, Changes] =>
    [name, (args) => to(plain(args), { link: name !== 'shred', all: name !== 'shred' })]),
  ...['chmod', 'chown', 'chgrp', 'chattr', 'setfacl', 'chcon'].map((name): [string, Changes] =>
    [name, (args) => to(plain(args), { all: isRecursive(args) })]),
  ...['gzip', 'bzip2', 'xz', 'zstd'].map((name): [string, Changes] =>
    [name, (args) => hasOption(args, 'ctl', '--stdout', '--to-stdout', '--test', '--list') ? [] : allOperands(args)]),
  ...['cp', 'install', 'ln', 'scp', 'ditto', 'uniq', 'mount', 'xxd'].map((name): [string, Changes] =>
    [name, (args) => name !== 'uniq' && name !== 'xxd' ? to(arrives(args)) : to(plain(args).slice(1))]),
  ...['mv', 'rename', 'prename', 'mmv'].map((name): [string, Changes] => [name, (args) =>
    [...to(plain(args).slice(0, -1), { link: true, all: true }), ...to(arrives(args)), ...to(plain(args).slice(-1), { link: true })]]),
  ['rsync', (args) => [
    ...to(plain(args).slice(-1), { all: args.some((arg) => /^--del/.test(arg)) }),
    ...args.includes('--remove-source-files') ? to(plain(args), { all: true }) : []
  ]],
  ['dd', (args) => to(args.filter((arg) => arg.startsWith('of=')).map((arg) => arg.slice(3)))],
  ['sed', (args) => hasOption(args, 'i', '--in-place') || args.some((arg) => /^-[a-zA-Z]*i/.test(arg)) ? allOperands(args) : []],
  ['perl', (args) => args.some((arg) => /^-[a-zA-Z\d]*i/.test(arg)) ? allOperands(args) : []],
  ['ruby', (args) => args.some((arg) => /^-[a-zA-Z]*i/.test(arg)) ? allOperands(args) : []],
  ['find', (args) => args.some((arg) => /^-(?:delete|fprint|fprintf|fprint0|fls)$/.test(arg))
    ? to([...findRoots(args), ...args.filter((_, index) => /^-f(?:print|printf|print0|ls)$/.test(args[index - 1] ?? ''))])
    : []],
  ['git', ofGit],
  ['tar', ofTar],
  ['unzip', (args) => hasOption(args, 'lptvz') ? [] : to(workplace(args, 'd'))],
  ['7z', (args) => /^[xe]$/.test(args[0] ?? '') ? to(workplace(args, 'o')) : to(plain(args).slice(1, 2))],
  ['zip', (args) => [...to(plain(args).slice(0, 1)), ...hasOption(args, 'm', '--move') ? to(plain(args), { all: true }) : []]],
  [
    'cpio', (args) => hasOption(args, 'ip', '--extract', '--pass-through') ? to([...workplace(args, 'D', 'directory'), ...plain(args)]) : []
  ],
  ['sort', (args) => to(valuesOf(args, 'o', 'output'))],
  ['shuf', (args) => to(valuesOf(args, 'o', 'output'))],
  ['curl', (args) => to([
    ...valuesOf(args, 'ocD', 'output', 'output-dir', 'cookie-jar', 'dump-header', 'trace', 'trace-ascii', 'stderr'),
    ...hasOption(args, 'O', '--remote-name') ? ['.'] : []
  ])],
  ['wget', (args) => to(workplace(args, 'OoaP', 'output-document', 'output-file', 'append-output', 'directory-prefix'))],
  ['sqlite3', (args) => args.some((arg) => /^--?readonly$/.test(arg)) ? [] : to(plain(args).slice(0, 1))]
])

/** Returns whether a call would write, remove, move, truncate or lock files of the service: its state or its program. */
export function changesService ({ program, args, paths, boundaries }: ProgramCall): boolean {
  return (table.get(program)?.(args) ?? []).some(({ word, link, all }) =>
    word.length > 0 && paths(word, link === true && !word.endsWith('/')).some((path) => isOfService(path, all === true, boundaries)))
}
