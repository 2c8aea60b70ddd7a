import { gitCommandAt } from './git-command.js'
import { globalsOf } from './known.js'
import { hasOption, operandsOf, type Options, pairsOf } from './options.js'
import { givesPattern, patternFirst } from './programs.js'

/** What programs do with symlinks: those that their arguments name, and those that they find in folders. */

type When = (args: readonly string[]) => boolean

const always: When = () => true
const option = (letters: string, ...names: string[]): When => (args) => hasOption(args, letters, ...names)
const without = (when: When): When => (args) => !when(args)
/** Like hasOption, for a program whose letters in `values` take a value. */
const flag = (values: string, letters: string, ...names: string[]): When => (args) => pairsOf(args, { short: values }).some(({ name }) =>
  name.startsWith('--') ? names.includes(name) : letters.includes(name.slice(1)))
const each = (names: string, when: When): Array<[string, When]> => names.split(' ').map((name) => [name, when])
const first = (word: string): When => (args) => args.find((arg) => !arg.startsWith('-')) === word

/** Git's commands for which a link in the work tree is a file with a path in it, and their options that name files to read. */
const gitTakes = /^(?:add|rm|mv|status|log|show|commit|checkout|switch|restore|reset|stash|ls-files|check-ignore|clean)$/
const gitReads = /^(?:--no-i|--file|--pathspec-from|--template|-[a-zA-Z]*[Ft])/

/** Programs for which a link that is named in their arguments is the link itself, and not what it leads to. */
const themselves: ReadonlyMap<string, When> = new Map([
  ...each('rm rmdir unlink readlink trash trash-put mv', always),
  ['cp', (args) => flag('tS', 'PdarR', '--no-dereference', '--archive', '--recursive')(args) && !hasOption(args, 'LH', '--dereference')],
  ['ls', flag('IwT', 'd', '--directory')],
  ['stat', without(option('L', '--dereference'))],
  ['git', (args) => gitTakes.test(args[gitCommandAt(args)] ?? '') && !args.some((arg) => gitReads.test(arg))]
])

/** Returns whether a link that a pattern in this argument finds stands for itself. The destination of a copy is one that is entered. */
export function usesLinkItself (program: string, args: readonly string[], index: number): boolean {
  const isCopy = program === 'mv' || program === 'cp'
  if (isCopy && (index === args.length - 1 || args.some((arg) => /^(?:-[a-zA-Z]*t|--t)/.test(arg)))) return false
  // `.*` may be the folder above, of which a copy takes what is in it.
  if (program === 'cp' && /(?:^|\/)\.[^/*]*\*[^/]*$/.test(args[index] ?? '')) return false
  return themselves.get(program)?.(args) === true
}

/** The letters of a mode without a dash: `tar chf`. */
const mode = (args: readonly string[]): string => /^[a-zA-Z]+$/.test(args[0] ?? '') ? args[0] ?? '' : ''

/** Programs that read, or write to, what the links in a folder lead to, on all levels below it. */
const followers: ReadonlyMap<string, When> = new Map([
  ...each('grep egrep fgrep zgrep rgrep ugrep', option('R', '--dereference-recursive', '--dereference')),
  ['rg', option('L', '--follow')], ['ag', option('f', '--follow')], ['ack', option('', '--follow')], ['fd', option('L', '--follow')],
  ['find', (args) => args.some((arg) => /^-(?:L|follow)$/.test(arg))],
  ...each('tar gtar bsdtar', (args) => (mode(args).includes('h') || hasOption(args, 'h', '--dereference')) &&
    !/[xt]/.test(mode(args)) && !hasOption(args, 'xt', '--extract', '--list')),
  ['zip', (args) => hasOption(args, 'r', '--recurse-paths') && !hasOption(args, 'y', '--symlinks')],
  ['cp', (args) => hasOption(args, 'Rra', '--recursive', '--archive') && hasOption(args, 'LH', '--dereference')],
  ['rsync', option('Lk', '--copy-links', '--copy-dirlinks', '--copy-unsafe-links')],
  ['scp', option('r')],
  ...each('du chmod chown chgrp setfacl', option('L', '--dereference', '--logical')),
  ['tree', option('l')],
  ...each('diff colordiff wdiff', (args) => hasOption(args, 'r', '--recursive') && !hasOption(args, '', '--no-dereference')),
  ...each('7z 7za 7zr 7zz', (args) => /^[au]$/.test(args[0] ?? '') && !args.some((arg) => /^-snl/.test(arg))),
  ['jar', always], ...each('md5deep sha256deep hashdeep', option('r')),
  ['rclone', option('L', '--copy-links')], ['cloc', option('', '--follow-links')], ['scc', option('', '--include-symlinks')],
  ['s3cmd', option('F', '--follow-symlinks')], ['gsutil', without(option('e'))], ['gitleaks', option('', '--follow-symlinks')],
  ['aws', (args) => first('s3')(args) && !args.includes('--no-follow-symlinks')], ['az', first('storage')],
  ['gcloud', without(option('', '--ignore-symlinks'))],
  ...each('http-server live-server httpd', always), ['php', option('S')],
  ['npx', (args) => args.some((arg) => /^(?:http-server|live-server)(?:@|$)/.test(arg))],
  ['python', (args) => args.some((arg) => /^(?:-[A-Za-z]*m)?(?:http\.server|zipfile)$/.test(arg))]
])

/** The same for links in the folder alone. */
const followersHere: ReadonlyMap<string, When> = new Map([
  ['ls', option('LH', '--dereference', '--dereference-command-line')],
  ...each('diff colordiff', without(option('', '--no-dereference')))
])

/** Returns on how many levels of the folders in its arguments a call follows the links that it finds; 0: it follows none. */
export function levelsFollowed (program: string, args: readonly string[]): number {
  if (followers.get(program)?.(args) === true) return Infinity
  if (followersHere.get(program)?.(args) !== true) return 0
  return program === 'ls' && hasOption(args, 'R', '--recursive') ? Infinity : 1
}

const ofGrep: Options = {
  short: 'ABCmefdD',
  long: ['after-context', 'before-context', 'context', 'max-count', 'regexp', 'file', 'directories', 'devices', 'include', 'exclude', 'exclude-dir']
}

/** Returns whether a call that names so few operands goes through the current folder. */
export function startsHere (program: string, args: readonly string[]): boolean {
  if (/^(?:tar|gtar|bsdtar|zip|cp|rsync|scp|diff|colordiff|wdiff|chmod|chown|chgrp|setfacl|7z\w?|md5deep|sha256deep|hashdeep|rclone|jar)$/.test(program)) return false
  if (/^(?:php|python|npx|http-server|live-server|httpd)$/.test(program)) return true
  const options = /grep$/.test(program) ? ofGrep : program === 'ls' ? { short: 'IwT' } : program === 'du' ? { short: 'dtBX' } : globalsOf(program)
  if (options === undefined) return true
  const takesPattern = patternFirst.has(program) && !args.some((arg) => givesPattern.test(arg))
  return operandsOf(args, options).length <= (takesPattern ? 1 : 0)
}
