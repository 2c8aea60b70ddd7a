import { basename } from 'node:path'
import { isWritten } from '../shell/words.js'

const name = 'agent-web-service'
/** Programs that run the service without installing it: `npx agent-web-service@latest token create`. */
const runners: ReadonlySet<string> = new Set(['npx', 'npm', 'pnpx', 'pnpm', 'bunx', 'bun', 'yarn'])
const ofPackage = new RegExp(`^${name}(?:@.*)?$`)

/** Commands that decide who may use the service, or whether it runs; the others only show something, or start something of their own. */
const administering: ReadonlySet<string> = new Set(['reset-password', 'sessions', 'token', 'pair', 'stop', 'restore', 'update', 'service'])

/** Commands that a person has to allow each time: they copy what only the service may read, or act on it in the person's place. */
const protectedCommands: ReadonlyMap<string, 'read:protected' | 'write:protected'> = new Map([
  ['backup', 'read:protected'], ['acp', 'write:protected'], ['skills import', 'write:protected'], ['skills undo', 'write:protected']
])

/** The end of the sentence "This would …". */
export const changingAccess = 'change who may use this service, or whether it runs'

/** Returns whether a call runs a command of the service's own program that, like the files of its state, is only for the operator. */
export function administersService ({ program, args }: { program: string, args: readonly string[] }): boolean {
  const word = wordsOf(program, args)?.find((each) => each !== '--')
  return word !== undefined && administering.has(word)
}

/**
 * Returns what a call of the service's own program touches, besides what its arguments name; null if nothing.
 *
 * @param unseen whether there are more arguments than are visible
 */
export function protectedBy (
  { program, args }: { program: string, args: readonly string[] }, unseen: boolean
): 'read:protected' | 'write:protected' | null {
  const words = wordsOf(program, args)
  if (words === null) return null
  const [first, second] = words.filter((each) => each !== '--')
  // A command that is known only when the line runs may be any of them.
  const isOpen = (word: string | undefined): boolean => word === undefined ? unseen : !isWritten(word)
  if (isOpen(first) || (first === 'skills' && isOpen(second))) return 'write:protected'
  return protectedCommands.get(first ?? '') ?? protectedCommands.get(`${first} ${second}`) ?? null
}

/** Returns the arguments of the service's program; null for any other program. */
function wordsOf (program: string, args: readonly string[]): readonly string[] | null {
  if (basename(program) === name) return args
  const at = runners.has(program) ? args.findIndex((arg) => ofPackage.test(arg)) : -1
  // `npx -p agent-web-service agent-web-service backup`
  if (at === -1) return null
  const rest = args.slice(at + 1)
  return rest.slice(Math.max(0, rest.findIndex((arg) => !ofPackage.test(arg) && arg !== '--')))
}
