import { basename } from 'node:path'

const name = 'agent-web-service'
/** It can be run without being installed: `npx agent-web-service@latest token create`. */
const runners: ReadonlySet<string> = new Set(['npx', 'npm', 'pnpx', 'pnpm', 'bunx', 'bun', 'yarn'])
const ofPackage = new RegExp(`^${name}(?:@.*)?$`)

/** Commands that decide who may use the service, or whether it runs; the others look, or begin something of their own. */
const administering: ReadonlySet<string> = new Set([
  'reset-password', 'sessions', 'token', 'pair', 'stop', 'restore', 'update', 'service'
])

/** The end of the sentence "This would …". */
export const changingAccess = 'change who may use this service, or whether it runs'

/** True when a call gives the service's own program a command that is the operator's alone, as the files of its state are. */
export function administersService ({ program, args }: { program: string, args: readonly string[] }): boolean {
  const word = wordsOf(program, args).find((each) => each !== '--')
  return word !== undefined && administering.has(word)
}

/** What the service's program is given, if it is that. */
function wordsOf (program: string, args: readonly string[]): readonly string[] {
  if (basename(program) === name) return args
  const at = runners.has(program) ? args.findIndex((arg) => ofPackage.test(arg)) : -1
  return at === -1 ? [] : args.slice(at + 1)
}
