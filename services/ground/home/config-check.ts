import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter } from 'yaml'
import { isRecord } from '../fields.js'
import { redact } from '../redaction/index.js'
import { configFile, type ConfigFile, type Keywords } from './config-schema.js'
import { similar } from './similar.js'
import { readYaml } from './yaml.js'

/** Something in a config.yaml that is not as its owner means it. */
export interface ConfigProblem {
  /** The key, as `custom_providers[0].base_url`. */
  path: string
  /** Counted from 1; null where nobody can say. */
  line: number | null
  /** An `error` is ignored, as if the key were not there; a `warning` may be a slip. */
  level: 'error' | 'warning'
  /** A sentence with the key and the line in it. Never what the key holds, which may be a secret. */
  message: string
}

type Path = ReadonlyArray<string | number>
interface Finding { path: Path, level: ConfigProblem['level'], what: string }
interface Findings { list: Finding[], unknownKeys: number }

const mostProblems = 50
/** Of so many unknown keys what they could mean is looked for: that takes time, and a person has not written more by mistake. */
const mostCompared = 500
const longestKeyShown = 64

/**
 * What of a config.yaml is in order, and what is not. A key whose value is of another kind than it has to be, is not taken;
 * what stands beside it is.
 *
 * @param config what the file holds
 * @param text the file, for the lines
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

/** The value as far as it fits; undefined when it does not, or says nothing. */
function fit (schema: Keywords, value: unknown, path: Path, findings: Findings): unknown {
  if (value === null || value === undefined) return undefined
  const members: Keywords[] = schema.anyOf ?? [schema]
  const member = members.find((candidate) => isOfKind(candidate, value))
  // An empty text is how many programs write that nothing is set.
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

/** What a schema takes, in words. */
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

/** Keys are somebody's own words here and there. */
function nameOf (path: Path): string {
  const name = path.map((part, index) => typeof part === 'number'
    ? `[${part}]`
    : `${index === 0 ? '' : '.'}${part.length > longestKeyShown ? `${part.slice(0, longestKeyShown)}…` : part}`).join('')
  return redact(name)
}

/** Tells the line of a key: of the nearest one above it that the file has at this place, where it came by an alias or a merge. */
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
