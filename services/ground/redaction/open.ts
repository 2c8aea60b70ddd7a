import { RegExpParser, type AST } from '@eslint-community/regexpp'

/**
 * The results by their arguments. A build contains this table instead of the rest of this file (scripts/credential-patterns.js).
 * @public
 */
export const results = { openSource: new Map<string, string>(), longestMatch: new Map<string, number>() }

/**
 * Returns the source of a regular expression for what could still become a match: it matches only where the text ends before `source` is
 * complete. The matched text is then the beginning of a match, if the right text follows. A lookahead that reaches the end counts as
 * undecided, so the expression errs towards matching. Its groups have no names.
 */
export function openSource (source: string, flags: string): string {
  const made = openSourceOf(source, flags)
  results.openSource.set(`${flags}/${source}`, made)
  return made
}

/** Returns how many characters a match has at most, including lookaheads; Infinity if there is no limit. */
export function longestMatch (source: string, flags: string): number {
  const made = longestOf(new RegExpParser().parsePattern(source, 0, undefined, { unicode: flags.includes('u') }).alternatives)
  results.longestMatch.set(`${flags}/${source}`, made)
  return made
}

function openSourceOf (source: string, flags: string): string {
  // Backreferences may refer to groups before this source.
  const names = new Set([...source.matchAll(/\\k<(\w+)>/g)].map(([, name = '']) => name))
  const declared = [...names].map((name) => `(?<${name}>)`).join('')
  const pattern = new RegExpParser().parsePattern(declared + source, 0, undefined, { unicode: flags.includes('u') })
  const alternatives = pattern.alternatives.map((alternative, index) =>
    sequence(index === 0 ? alternative.elements.slice(names.size) : alternative.elements))
  return `(?:${alternatives.join('|')})`
}

/** A group that is referred to holds a sign or an indentation. */
const longestReference = 64

const longestOf = (alternatives: AST.Alternative[]): number =>
  Math.max(...alternatives.map(({ elements }) => elements.reduce((sum, element) => sum + longest(element), 0)))

function longest (element: AST.Element): number {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return longestOf(element.alternatives)
    case 'Quantifier':
      return element.max === 0 ? 0 : element.max * longest(element.element)
    case 'Backreference':
      return longestReference
    case 'Assertion':
      return element.kind === 'lookahead' ? longestOf(element.alternatives) : 0
    default:
      return 1
  }
}

const never = '(?!)'

function sequence (elements: AST.Element[]): string {
  return elements.reduceRight((following, element) => {
    const cut = open(element)
    const passed = following === never ? never : `${closed(element)}${following}`
    const ways = [cut, passed].filter((way) => way !== never)
    const [only = never, ...others] = ways
    return others.length === 0 ? only : `(?:${ways.join('|')})`
  }, never)
}

const disjunction = (alternatives: AST.Alternative[]): string => {
  const ways = alternatives.map((alternative) => sequence(alternative.elements)).filter((way) => way !== never)
  return ways.length === 0 ? never : `(?:${[...new Set(ways)].join('|')})`
}

/** Returns the source for a text that ends inside of the element, or before it. */
function open (element: AST.Element): string {
  switch (element.type) {
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass':
    case 'Backreference':
      return '$'
    case 'Group':
    case 'CapturingGroup':
      return disjunction(element.alternatives)
    case 'Quantifier': {
      if (element.max === 0) return never
      const inner = open(element.element)
      if (inner === never) return never
      const times = element.max === Infinity ? '*' : `{0,${element.max - 1}}`
      return `${closed(element.element)}${times}${inner}`
    }
    case 'Assertion':
      if (element.kind === 'lookahead') return `(?=${disjunction(element.alternatives)})`
      return element.kind === 'word' || element.kind === 'end' ? '$' : never
  }
}

/** Returns the source of the element, its groups without names. */
function closed (element: AST.Element): string {
  return element.raw.replace(/\(\?<(?![=!])\w+>/g, '(?:')
}
