/** Options of a program that take the next word as their value. */
export interface Options {
  /** Single letters. */
  short?: string
  /** Long names without the dashes. */
  long?: string[]
}

/** Returns the index of the first word after the options. */
export function afterOptions (args: readonly string[], { short = '', long = [] }: Options): number {
  let index = 0
  for (let arg = args[0]; arg !== undefined && arg.length > 1 && arg.startsWith('-'); arg = args[index]) {
    if (arg === '--') return index + 1
    index += takesNext(arg, short, long) ? 2 : 1
  }
  return Math.min(index, args.length)
}

/** Returns the words that are neither options nor their values. */
export function operandsOf (args: readonly string[], { short = '', long = [] }: Options): string[] {
  const operands: string[] = []
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? ''
    if (arg === '--') return [...operands, ...args.slice(index + 1)]
    if (arg.length < 2 || !arg.startsWith('-')) operands.push(arg)
    else if (takesNext(arg, short, long)) index++
  }
  return operands
}

function takesNext (option: string, short: string, long: readonly string[]): boolean {
  if (option.startsWith('--')) return long.includes(option.slice(2))
  const letters = option.slice(1)
  const valued = [...letters].findIndex((letter) => short.includes(letter))
  return valued !== -1 && valued === letters.length - 1
}

/** The shortest abbreviation of a long option that counts as the option, dashes included. */
const minLongChars = 3

/**
 * Returns whether `args` contain one of the options: a letter, alone or in a cluster such as `-xvf`, or a long name with its dashes, which
 * may be abbreviated or followed by `=value`.
 */
export function hasOption (args: readonly string[], letters: string, ...names: string[]): boolean {
  const end = args.indexOf('--')
  return (end === -1 ? args : args.slice(0, end)).some((arg) => {
    if (!arg.startsWith('--')) {
      return /^-[a-zA-Z]/.test(arg) &&
      [.../^-[a-zA-Z\d]*/.exec(arg)?.[0] ?? ''].some((letter) => letter !== '-' && letters.includes(letter))
    }
    const name = arg.split('=')[0] ?? ''
    return names.some((known) => known === name || (name.length >= minLongChars && known.startsWith(name)))
  })
}

/** Returns options with their values, and splits clusters: `-sXPOST` is `-s` and `-X POST`. */
export function pairsOf (args: readonly string[], { short = '', long = [] }: Options): Array<{ name: string, value: string }> {
  return args.flatMap((arg, index) => {
    if (arg.startsWith('--')) {
      const [name = '', ...value] = arg.split('=')
      return [{ name, value: value.length > 0 ? value.join('=') : long.includes(name.slice(2)) ? args[index + 1] ?? '' : '' }]
    }
    if (!/^-[^-]/.test(arg)) return []
    const letters = [...arg.slice(1)]
    const valued = letters.findIndex((letter) => short.includes(letter))
    const plain = (valued === -1 ? letters : letters.slice(0, valued)).map((letter) => ({ name: `-${letter}`, value: '' }))
    if (valued === -1) return plain
    const attached = letters.slice(valued + 1).join('')
    return [...plain, { name: `-${letters[valued] ?? ''}`, value: attached === '' ? args[index + 1] ?? '' : attached }]
  })
}
