import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter } from 'yaml'
import { isRecord } from '../fields.js'
import { redact } from '../redaction/index.js'
import { configFile, type ConfigFile, type Keywords } from './config-schema.js'
import { similar } from './similar.js'
import { readYaml } from './yaml.js'

/** A problem in a config.yaml: something that its owner probably did not mean. */
export interface ConfigProblem {
  /** The key, as `custom_providers[0].base_url`. */
  path: string
  /** Counted from 1; null if it is unknown. */
  line: number | null
  /** A key with an `error` is ignored, as if it were not set. A `warning` may be a typing mistake. */
  level: 'error' | 'warning'
  /** A sentence that contains the key and the line. Never the key's value, which may be a secret. */
  message: string
}

type Path = ReadonlyArray<string | number>
interface Finding { path: Path, level: ConfigProblem['level'], what: string }
interface Findings { list: Finding[], unknownKeys: number }

const mostProblems = 50
/** For how many unknown keys a similar known one is searched at most: the search takes time, and no person mistypes more. */
const mostCompared = 500
const longestKeyShown = 64

/**
 * Returns the valid part of a config.yaml, and its problems. A key with a value of the wrong kind is left out; the keys beside it are kept.
 *
 * @param config the parsed content of the file
 * @param text the file, for line numbers
 */
export function checkConfig (config: Record<string, unknown>, text: string): { config: ConfigFile, problems: ConfigProblem[] } {
  const findings: Findings = { list: [], unknownKeys: 0 }
  const fitting = fit(configFile, config, [], findings) as ConfigFile
  if (findings.list.length === 0) return { config: fitting, problems: [] }
  const lineOf = lines(text)
  return { config: fitting, problems: findings.list.slice(0, mostProblems).map((finding) => toProblem(finding, lineOf(finding.path))) }
}

function toProblem ({ path, level, what }: Finding, line: number | null): ConfigProblem {
  const name = nameOf(path)
  const place = line === null ? name : `${name} (line ${line})`
  return { path: name, line, level, message: level === 'error' ? `${place} ${what}; it counts as not set` : `${place} ${what}` }
}

/** Returns the valid part of a value; undefined if it is invalid or empty. */
function fit (schema: Keywords, value: unknown, path: Path, findings: Findings): unknown {
  if (value === null || value === undefined) return undefined
  const members: Keywords[] = schema.anyOf ?? [schema]
  const member = members.find((candidate) => isOfKind(candidate, value))
  // Many programs write an empty text to mean that nothing is set.
  if (value === '' && (member === undefined || hasRule(member))) return undefined
  if (member === undefined || !isWithin(member, value)) {
    findings.list.push({ path, level: 'error', what: `must be ${wanted(schema)}` })
    return undefined
  }
  const { items = {} } = member
  if (Array.isArray(value)) {
    return value.map((item, index) => fit(items, item, [...path, index], findings)).filter((item) => item !== undefined)
  }
  return isRecord(value) ? fitMapping(member, value, path, findings) : value
}

function fitMapping (
  { properties: known = {}, patternProperties = {}, required = [] }: Keywords, value: Record<string, unknown>, path: Path,
  findings: Findings
): Record<string, unknown> | undefined {
  const [ofAny] = Object.values(patternProperties)
  const fitting = Object.entries(value).flatMap(([key, item]): Array<[string, unknown]> => {
    const declared = Object.hasOwn(known, key) ? known[key] : ofAny
    if (declared === undefined) {
      warnOf(key, value, known, path, findings)
      return [[key, item]]
    }
    const taken = fit(declared, item, [...path, key], findings)
    return taken === undefined ? [] : [[key, taken]]
  })
  const missing = required.filter((key) => !fitting.some(([name]) => name === key))
  const unsaid = missing.filter((key) => value[key] === undefined || value[key] === null || value[key] === '')
  if (unsaid.length > 0) findings.list.push({ path, level: 'error', what: `has no ${unsaid.join(' and no ')}` })
  return missing.length > 0 ? undefined : Object.fromEntries(fitting)
}

function warnOf (key: string, value: Record<string, unknown>, known: object, path: Path, findings: Findings): void {
  if (++findings.unknownKeys > mostCompared) return
  const meant = similar(key, Object.keys(known).filter((name) => !Object.hasOwn(value, name)))
  if (meant !== undefined) {
    findings.list.push({ path: [...path, key], level: 'warning', what: `is not known and has no effect: is ${meant} meant?` })
  }
}

function isOfKind ({ type }: Keywords, value: unknown): boolean {
  switch (type) {
    case 'array': return Array.isArray(value)
    case 'object': return typeof value === 'object' && !Array.isArray(value)
    case 'integer': case 'number': return typeof value === 'number'
    case 'boolean': return typeof value === 'boolean'
    default: return typeof value === 'string'
  }
}

const hasRule = ({ enum: values, pattern, format }: Keywords): boolean =>
  values !== undefined || pattern !== undefined || format !== undefined

function isWithin (
  { type, enum: values, pattern, format, minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity }: Keywords, value: unknown
): boolean {
  if (typeof value === 'number') {
    if (type === 'integer' ? !Number.isSafeInteger(value) : !Number.isFinite(value)) return false
    return value >= minimum && value > exclusiveMinimum && value <= maximum
  }
  if (typeof value !== 'string') return true
  if (values !== undefined && !values.includes(value)) return false
  return (pattern === undefined || new RegExp(pattern).test(value)) && (format !== 'uri' || URL.canParse(value.trim()))
}

/** Returns in words what a schema accepts. */
function wanted (schema: Keywords): string {
  const { type, enum: values, anyOf, format, pattern, items } = schema
  if (anyOf !== undefined) return anyOf.map(wanted).join(', or ')
  if (values !== undefined) return `one of ${values.join(', ')}`
  switch (type) {
    case 'object': return 'a mapping of keys to values'
    case 'array': return items?.['type'] === 'string' ? 'a list of texts' : 'a list'
    case 'boolean': return 'true or false'
    case 'string': return format === 'uri' ? 'an http or https address' : textWanted(pattern)
    default: return `a ${type === 'integer' ? 'whole number' : 'number'}${bounds(schema)}`
  }
}

function textWanted (pattern: string | undefined): string {
  if (pattern === undefined) return 'a text'
  if (pattern.includes('://')) return 'an http or https address'
  if (pattern.startsWith('^(?:public|')) return 'public, all, none or a host with a port'
  return pattern.includes('_]*') ? 'the name of a variable' : 'the name of a language'
}

function bounds ({ minimum, exclusiveMinimum, maximum }: Keywords): string {
  const limits = [
    ...(minimum === undefined ? [] : [`from ${minimum} on`]),
    ...(exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum}`]),
    ...(maximum === undefined ? [] : [`${maximum} at most`])
  ]
  return limits.length === 0 ? '' : ` ${limits.join(', ')}`
}

/** Returns a path for messages, with credentials masked, because some keys are the owner's own words. */
function nameOf (path: Path): string {
  const name = path.map((part, index) => typeof part === 'number'
    ? `[${part}]`
    : `${index === 0 ? '' : '.'}${part.length > longestKeyShown ? `${part.slice(0, longestKeyShown)}…` : part}`).join('')
  return redact(name)
}

/**
 * Returns a function that finds the line of a key. If the key came by an alias or a merge, that is the line of the nearest parent in the
 * file.
 */
function lines (text: string): (path: Path) => number | null {
  const counter = new LineCounter()
  const document = readYaml(text, { lineCounter: counter })
  return (path) => {
    let node: unknown = document.contents
    let offset: number | undefined
    for (const part of path) {
      if (isAlias(node)) node = node.resolve(document)
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part))
        if (pair === undefined) break
        offset = (isNode(pair.key) ? pair.key.range?.[0] : undefined) ?? offset
        node = pair.value
      } else if (isSeq(node) && typeof part === 'number') {
        node = node.items[part]
        offset = (isNode(node) ? node.range?.[0] : undefined) ?? offset
      } else break
    }
    return offset === undefined ? null : counter.linePos(offset).line
  }
}
