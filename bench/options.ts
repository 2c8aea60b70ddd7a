import { parseArgs } from 'node:util'

/** An option of a program: `--name`, or `--name <value>`. */
export interface OptionOf {
  type: 'string' | 'boolean'
  says: string
  /** What its value is called in the help; only for strings. */
  value?: string
  default?: string | boolean
  multiple?: boolean
}

/** What a program is called by, and what it does, in one sentence. */
export interface ProgramOf { command: string, does: string }

/**
 * Returns the options of this process's command line. Ends the process: with the help and code 0 for `--help`, with one sentence and code 2
 * for what the program does not have.
 */
export function readOptions<const T extends Record<string, OptionOf>> (program: ProgramOf, options: T) {
  const known = { ...options, help: { type: 'boolean', short: 'h', says: 'shows this', default: false } } as const
  try {
    const { values } = parseArgs({ options: known })
    if (!('help' in values) || values.help !== true) return values
    console.log(helpOf(program, known))
    process.exit(0)
  } catch (error) {
    const [sentence] = (error instanceof Error ? error.message : String(error)).split('. ')
    return refuse(`${sentence}. --help lists the options.`)
  }
}

/** Ends the process with a sentence about its command line, and code 2. */
export function refuse (sentence: string): never {
  console.error(sentence)
  process.exit(2)
}

function helpOf ({ command, does }: ProgramOf, options: Record<string, OptionOf>): string {
  const rows = Object.entries(options).map(([name, { value, says, default: preset, multiple }]) => [
    `--${name}${value === undefined ? '' : ` <${value}>`}`,
    `${says}${typeof preset === 'string' ? ` (default: ${preset})` : ''}${multiple === true ? '; may be repeated' : ''}`
  ] as const)
  const width = Math.max(...rows.map(([left]) => left.length))
  const lead = command.startsWith('npm run ') ? `${command} -- [options]` : `${command} [options]`
  return [lead, '', does, '', ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)].join('\n')
}
