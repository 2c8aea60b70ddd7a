import { readSecret } from '../plugins/ground/config-environment.js'
import { CommandFailed, exitCodes, textOf, WrongUsage, type CommandLine } from './command.js'

/** Returns the result of each reader. Throws one error that names everything that is wrong: WrongUsage if the command line is. */
export function readAll<T extends Record<string, unknown>> (readers: { [Name in keyof T]: () => T[Name] }): T {
  const failures: CommandFailed[] = []
  const read = Object.fromEntries(Object.entries(readers).map(([name, reader]) => {
    try {
      return [name, reader()]
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error
      failures.push(error)
      return [name, undefined]
    }
  }))
  const [first] = failures
  if (first === undefined) return read as T
  if (failures.length === 1) throw first
  const message = failures.map((failure) => failure.message).join('\n')
  throw failures.some(({ exitCode }) => exitCode === exitCodes.wrongUsage) ? new WrongUsage(message) : new CommandFailed(message)
}

const unitsS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 7 * 86_400, y: 365 * 86_400 }

/** Returns the whole number of an option; `usual` if it was not given. Throws WrongUsage if it is no number, or out of range. */
export function numberOf (
  asked: CommandLine, name: string, { least, most, usual }: { least: number, most: number, usual: number }
): number {
  const text = textOf(asked, name)
  if (text === undefined) return usual
  const number = /^\d{1,9}$/.test(text) ? Number(text) : NaN
  if (!(number >= least && number <= most)) throw new WrongUsage(`--${name} must be a whole number from ${least} to ${most}`)
  return number
}

/** Returns the seconds of an option such as `12h` or `30d`; null if it was not given. Throws WrongUsage. */
export function secondsOf (asked: CommandLine, name: string): number | null {
  const text = textOf(asked, name)
  if (text === undefined) return null
  const [, count = '', unit = ''] = /^(\d{1,6})([smhdwy])$/.exec(text) ?? []
  const seconds = Number(count) * (unitsS[unit] ?? 0)
  if (seconds < 60) throw new WrongUsage(`--${name} must be a time of at least one minute, such as 30m, 12h or 90d`)
  return seconds
}

export const scopes = ['read', 'chat', 'approve', 'admin'] as const

/** Returns the scope of an option; `usual` if it was not given. Throws WrongUsage if it is unknown, or missing without a `usual` one. */
export function scopeOf (asked: CommandLine, usual?: typeof scopes[number]): typeof scopes[number] {
  const text = textOf(asked, 'scope') ?? usual
  const found = scopes.find((scope) => scope === text)
  if (found === undefined) throw new WrongUsage(`--scope must be one of ${scopes.join(', ')}`)
  return found
}

/** Returns the operands, or `all` with `--all`. `group`: whose `list` shows the ids. Throws WrongUsage for neither and for both. */
export function idsOrAll ({ operands, options }: CommandLine, group: 'sessions' | 'token'): readonly string[] | 'all' {
  const isAll = options['all'] === true
  if (isAll === (operands.length > 0)) throw new WrongUsage(`Give either --all, or ids that "${group} list" shows`)
  return isAll ? 'all' : operands
}

/** Returns the password in a file, as the service reads it. Throws CommandFailed if the file cannot be read, or is empty. */
export function passwordIn (file: string): string {
  const read = readSecret(file, 'SVC_WEBUI_PASSWORD')
  if ('secret' in read) return read.secret
  throw new CommandFailed(`The password file ${file} ${read.problem}`)
}
