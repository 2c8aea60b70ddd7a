import { isDeepStrictEqual } from 'node:util'
import { fieldsOf, isRecord } from '../../ground/fields.js'
import { type AuditDetails } from '../../../schemas/audit.js'
import { configFile, type Keywords } from '../../ground/home/config-schema.js'
import { type AuditPort } from './audit.js'

type Change = AuditDetails<'config.changed'>['changes'][number]

/** Keys below which a secret may stand, whatever its own key is called. */
const secret = /key|secret|token|password|credential|auth|header|env$|extra_body|webhook|command|args/i
const mostChanges = 50
const longestValue = 100

/** Records the changes that the service has made to a config.yaml: permissions and MCP servers separately, then everything else. */
export function recordConfig (record: AuditPort['soonest'], profile: string, before: unknown, after: unknown): void {
  const [allowedBefore, allowed] = [allowedIn(before), allowedIn(after)]
  for (const key of allowed) if (!allowedBefore.has(key)) record('grant.added', { profile, pattern_key: key })
  for (const key of allowedBefore) if (!allowed.has(key)) record('grant.removed', { profile, pattern_key: key })

  const [serversBefore, servers] = [fieldsOf(fieldsOf(before)['mcp_servers']), fieldsOf(fieldsOf(after)['mcp_servers'])]
  for (const server of new Set([...Object.keys(serversBefore), ...Object.keys(servers)])) {
    const change = serverChange(serversBefore[server], servers[server])
    if (change !== null) record('mcp.server', { profile, server, change })
  }

  const changes = changesBetween(before, after).filter(({ key }) => key !== 'approvals.allow' && !/^mcp_servers(\.|$)/.test(key))
  if (changes.length > 0) record('config.changed', { profile, changes: changes.slice(0, mostChanges) })
}

/**
 * Returns the differences, key by key. Values are included only if they are short, their key is declared, and nothing suggests a secret.
 */
function changesBetween (before: unknown, after: unknown, path: readonly string[] = []): Change[] {
  if (isDeepStrictEqual(before, after)) return []
  if (path.length === 0 || isRecord(before) || isRecord(after)) {
    const [was, is] = [fieldsOf(before), fieldsOf(after)]
    const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])]
    const below = keys.flatMap((key) => changesBetween(was[key], is[key], [...path, key]))
    if (below.length > 0) return below
  }
  const isSecret = path.some((key) => secret.test(key)) || !isDeclared(path)
  return [{ key: path.join('.'), from: isSecret ? null : told(before), to: isSecret ? null : told(after) }]
}

/** Whether a place in config.yaml is for a single value that may be shown. Undeclared places may hold anything. */
function isDeclared ([key, ...below]: readonly string[], schema: Keywords = configFile): boolean {
  if (schema['writeOnly'] === true) return false
  return (schema.anyOf ?? [schema]).some(({ type, properties = {}, patternProperties = {} }: Keywords) => {
    if (key === undefined) return type !== 'object'
    const [ofAny] = Object.values(patternProperties)
    const declared = Object.hasOwn(properties, key) ? properties[key] : ofAny
    return declared !== undefined && isDeclared(below, declared)
  })
}

function told (value: unknown): string | null {
  if (typeof value !== 'boolean' && typeof value !== 'number' && typeof value !== 'string') return null
  const text = JSON.stringify(value)
  return text.length > longestValue ? null : text
}

function serverChange (before: unknown, after: unknown): AuditDetails<'mcp.server'>['change'] | null {
  if (isDeepStrictEqual(before, after)) return null
  if (before === undefined) return 'added'
  if (after === undefined) return 'removed'
  const isOn = (server: unknown): boolean => fieldsOf(server)['enabled'] !== false
  const rest = (server: unknown): object => ({ ...fieldsOf(server), enabled: null })
  return isOn(before) === isOn(after) || !isDeepStrictEqual(rest(before), rest(after)) ? 'changed' : isOn(after) ? 'on' : 'off'
}

const allowedIn = (config: unknown): Set<string> =>
  new Set([fieldsOf(fieldsOf(config)['approvals'])['allow'] ?? []].flat().filter((key) => typeof key === 'string'))
