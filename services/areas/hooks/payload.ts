import { isKeyOf } from '../../ground/one-of.js'
import { beyondLimits } from '../../ground/text/json.js'
import { materialBlock } from '../../ground/quoted-material.js'
import { wholeTo } from '../../ground/text/whole-characters.js'
import { withoutUnseenWords } from '../../ground/text/visible.js'

/** The length limits of a value, and of the whole body, in the text of a template. */
const valueChars = 500
const payloadChars = 20_000
const deepestIndented = 50
/** Further placeholders of a template are left as they are. */
const mostPlaces = 50
/** A body may name its event in lists: how many kinds and how many actions count. */
const mostNames = 10
const place = /\{\{\s*([\p{L}\p{N}_$@.-]{1,200})\s*\}\}/gu

/** The headers that name the event, for each kind of sender. */
const eventHeaders = ['x-github-event', 'x-gitea-event', 'x-forgejo-event', 'x-gitlab-event'] as const
export type CallHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Returns the values at a path of a body: several if the path leads through lists, none if it leads nowhere. */
function valuesAt (body: unknown, path: string): unknown[] {
  const step = (found: unknown[], key: string): unknown[] => found.flatMap((value) => {
    if (Array.isArray(value)) return /^\d+$/.test(key) ? value.slice(Number(key), Number(key) + 1) : step(value, key)
    return typeof value === 'object' && value !== null && isKeyOf(value, key) ? [value[key]] : []
  })
  return path.split('.').reduce(step, [body]).flat()
}

/**
 * Returns the names of the event, most specific first: for a call of GitHub `issues.labeled` and `issues`, for one of GitLab
 * `merge_request.open`, `merge_request` and `Merge Request Hook`. Other senders name it in `event` or `type` of the body.
 */
export function eventsOf (headers: CallHeaders, body: unknown): string[] {
  const said = eventHeaders.flatMap((name) => headers[name] ?? []).filter((name) => name !== '')
  const kinds = [...said, ...['object_kind', 'event', 'type'].flatMap((key) => texts(valuesAt(body, key)))].slice(0, mostNames)
  const actions = texts(['action', 'object_attributes.action'].flatMap((path) => valuesAt(body, path))).slice(0, mostNames)
  return [...new Set([...kinds.flatMap((kind) => actions.map((action) => `${kind}.${action}`)), ...kinds])].map((name) => wholeTo(name, 100))
}

/** Whether a body has the wanted text at each of these paths. */
export function isMatching (body: unknown, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([path, text]) => valuesAt(body, path).some((value) => asText(value) === text))
}

/**
 * Builds the request of a run: the template, with what the call has sent in place of its placeholders. A value is quoted, shortened and put
 * on one line; the whole body is a block that none of its contents can end. So neither can be mistaken for part of the template.
 */
export function requestOf (template: string, { name, event, body }: { name: string, event: string, body: unknown }): string {
  let places = 0
  // Caches values, because searching a large body takes time.
  const known = new Map<string, string>()
  const text = template.replaceAll(place, (whole, path: string) => {
    if (++places > mostPlaces) return whole
    const said = known.get(path) ?? saidAt(path, { name, event, body })
    known.set(path, said)
    return said
  })
  return places > 0 ? text : `${text}\n\n${payloadBlock(name, body)}`
}

function saidAt (path: string, { name, event, body }: { name: string, event: string, body: unknown }): string {
  if (path === 'event') return quoted(event)
  if (path === 'payload') return payloadBlock(name, body)
  const [value, ...others] = valuesAt(body, path)
  return value === undefined ? '(nothing)' : quoted(others.length === 0 ? value : [value, ...others])
}

function payloadBlock (job: string, body: unknown): string {
  // The length of indentation is quadratic in the depth.
  const isDeep = beyondLimits(Buffer.from(JSON.stringify(body)), { levels: deepestIndented, values: Infinity }) !== null
  return materialBlock('call', { job, text: inert(JSON.stringify(body, null, isDeep ? 0 : 2)) }, payloadChars)
}

function quoted (value: unknown): string {
  const text = asText(value)
  const cut = wholeTo(text, valueChars)
  return inert(JSON.stringify(cut.length < text.length ? `${cut}…` : cut))
}

/** Makes a text inert: it contains no placeholders of templates, and no words that people cannot see. */
const inert = (text: string): string => withoutUnseenWords(text).replaceAll(/\{(?=\{)/g, '{ ').replaceAll(lineEnds, escaped)
/** Characters that JSON leaves unescaped. */
const lineEnds = /[\u0085\u2028\u2029]/g
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
const asText = (value: unknown): string => typeof value === 'string' ? value : JSON.stringify(value)
const texts = (values: unknown[]): string[] => values.filter((value) => typeof value === 'string' && value !== '').map(String)
