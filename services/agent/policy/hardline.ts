import { changingService, findRoots, selects, type ProgramCall } from './program-call.js'
import { kernelPathChars } from './follow.js'
import { administersService, changingAccess } from './own/administering.js'
import { changesService } from './own/files.js'
import { isBlockDevice, isVital, meansVital } from './paths.js'
import { mayBeOtherOption } from './tables/spelling.js'

/**
 * Finds calls that never run, even if a person allows them: those that stop the machine or destroy a system, a home or a disk.
 * Returns what the call would do, as the end of the sentence "This would …", or null.
 */
export function hardline (call: ProgramCall): string | null {
  const { program, args } = call
  if (/^mkfs(?:\.|$)|^(?:mke2fs|wipefs|blkdiscard|mkswap)$/.test(program)) return 'make or wipe a file system'
  if (['shutdown', 'reboot', 'halt', 'poweroff'].includes(program)) return 'stop the machine'
  if ((program === 'init' || program === 'telinit') && /^[06sS]$/.test(args[0] ?? '')) return 'stop the machine'
  if (['fdisk', 'sfdisk', 'cfdisk', 'sgdisk', 'gdisk', 'parted'].includes(program) && changesDisk(call)) {
    return 'change the partitions of a disk'
  }
  if (program === 'cryptsetup' && args.some((arg) => /^(?:luksFormat|luksErase|erase|reencrypt)$/.test(arg))) {
    return 'make or wipe a file system'
  }
  if (program === 'systemctl' && stopsMachine(args)) return 'stop the machine'
  if (program === 'kill' && args.some((arg, index) => arg === '-1' && index > 0)) return 'end every process'
  if (administersService(call)) return changingAccess
  return removal(call) ?? deviceWrite(call) ?? (changesService(call) ? changingService : null)
}

function stopsMachine (args: readonly string[]): boolean {
  const state = /^(?:poweroff|reboot|halt|kexec|soft-reboot|suspend|hibernate|emergency|rescue)(\.target)?$/
  const switches = args.some((arg) => ['start', 'isolate', 'restart'].includes(arg))
  return args.some((arg) => state.exec(arg)?.[1] === undefined ? state.test(arg) : switches)
}

function changesDisk ({ args, paths }: ProgramCall): boolean {
  const listing = args.some((arg) => /^-{1,2}(?:l|list|d|dump|p|print|s|v|V|version|help)$|^print$/.test(arg))
  return !listing && args.some((arg) => !arg.startsWith('-') && (isBlockDevice(arg) || paths(arg).some(isBlockDevice)))
}

const recursive = (args: readonly string[]): boolean =>
  args.some((arg) => /^-[a-zA-Z]*[rR]/.test(arg) || mayBeOtherOption(arg) || (arg.length > 2 && '--recursive'.startsWith(arg)))

function removal ({ program, args, paths, boundaries }: ProgramCall): string | null {
  const vital = (word: string, ofLink: boolean): boolean => word.length <= kernelPathChars &&
    meant(word).some((path) =>
      paths(path, ofLink && !/\/[*.]*$/.test(word)).some((real) => isVital(real, boundaries) || meansVital(real, boundaries)))
  const operands = args.filter((arg) => !arg.startsWith('-'))
  switch (program) {
    case 'rm':
    case 'shred':
      if (args.includes('--no-preserve-root')) return 'remove the root folder'
      return recursive(args) && operands.some((word) => vital(word, true))
        ? 'remove a system folder, a home folder or the service itself'
        : null
    case 'rsync':
      return args.some((arg) => /^--del/.test(arg)) && operands.slice(-1).some((word) => vital(word, false))
        ? 'remove what is in a system folder, a home folder or the service itself'
        : null
    case 'mv':
      return operands.slice(0, -1).some((word) => vital(word, true))
        ? 'move away a system folder, a home folder or the service itself'
        : null
    case 'chmod':
    case 'chown':
    case 'chgrp':
      return recursive(args) && operands.some((word) => vital(word, false)) ? 'change the rights of a whole system or home folder' : null
    case 'find':
      return removesAllFound(args) && findRoots(args).some((word) => vital(word, false))
        ? 'remove everything in a system or home folder'
        : null
    default:
      return null
  }
}

/** Returns the word, and for `folder/*` and similar patterns the folder too: removing everything in it is as bad as removing it. */
function meant (word: string): string[] {
  if (!word.endsWith('*')) return [word]
  let end = word.length
  while (word[end - 1] === '*') end--
  let start = word.slice(0, end)
  if (end === word.length - 1) start = start.endsWith(']') ? start.slice(0, startOfHidden(start)) : start.replace(/[.?]$/, '')
  const folder = start.replace(/\/$/, '')
  return [word, folder === '' ? (word.startsWith('/') ? '/' : '.') : folder]
}

/** Returns where the `.[…]` at the end of a word begins; its length if it has none. */
function startOfHidden (word: string): number {
  const at = word.indexOf('.[', word.lastIndexOf(']', word.length - 2) + 1)
  return at === -1 ? word.length : at
}

function removesAllFound (args: readonly string[]): boolean {
  const removes = args.includes('-delete') ||
    args.some((arg, index) => /^-(?:exec|execdir|ok|okdir)$/.test(arg) && /(?:^|\/)(?:rm|shred|unlink)$/.test(args[index + 1] ?? ''))
  return removes && !selects(args)
}

function deviceWrite ({ program, args, paths }: ProgramCall): string | null {
  const written = writtenFiles(program, args)
  return written.some((word) => isBlockDevice(word) || paths(word).some(isBlockDevice)) ? 'overwrite a disk' : null
}

function writtenFiles (program: string, args: readonly string[]): readonly string[] {
  const operands = args.filter((arg) => !arg.startsWith('-'))
  if (program === 'dd') return operands.flatMap((arg) => /^(?!if=)[^/=]*=(.*)$/s.exec(arg)?.[1] ?? [])
  if (program === 'cp' || program === 'install') return operands.slice(-1)
  return ['tee', 'sponge', 'mv', 'shred', 'truncate', 'badblocks'].includes(program) ? operands : []
}
