import { isKeyOf } from '../../ground/one-of.js'
import { beyondLimits } from '../../ground/json.js'
import { materialBlock, wholeTo } from '../../ground/material.js'
import { withoutUnseenWords } from '../../ground/visible.js'

/** What stands for a value in the text of a template, and for all of the body. */
const valueChars = 500
const payloadChars = 20_000
const deepestIndented = 50
/** More places of a template are left as they are. */
const mostPlaces = 50
/** A body may name its event in lists: of those and of actions so many count. */
const mostNames = 10
const place = /\{\{\s*([\p{L}\p{N}_$@.-]{1,200})\s*\}\}/gu

/** The headers that name what has happened, by whoever sends them. */
const eventHeaders = ['x-github-event', 'x-gitea-event', 'x-forgejo-event', 'x-gitlab-event'] as const
export type CallHeaders = Readonly<Record<string, string | string[] | undefined>>

/** The values at a path of a body; through lists there may be several, and from nothing there are none. */
function valuesAt (body: unknown, path: string): unknown[] {
  const step = (found: unknown[], key: string): unknown[] => found.flatMap((value) => {
    if (Array.isArray(value)) return /^\d+$/.test(key) ? value.slice(Number(key), Number(key) + 1) : step(value, key)
    return typeof value === 'object' && value !== null && isKeyOf(value, key) ? [value[key]] : []
  })
  return path.split('.').reduce(step, [body]).flat()
}

/**
 * The names of what has happened, the first the most exact: a call of GitHub is `issues.labeled` and `issues`, one of GitLab
 * `merge_request.open`, `merge_request` and `Merge Request Hook`. Others name it in `event` or `type` of the body.
 */
export function eventsOf (headers: CallHeaders, body: unknown): string[] {
  const said = eventHeaders.flatMap((name) => headers[name] ?? []).filter((name) => name !== '')
  const kinds = [...said, ...['object_kind', 'event', 'type'].flatMap((key) => texts(valuesAt(body, key)))].slice(0, mostNames)
  const actions = texts(['action', 'object_attributes.action'].flatMap((path) => valuesAt(body, path))).slice(0, mostNames)
  return [...new Set([...kinds.flatMap((kind) => actions.map((action) => `${kind}.${action}`)), ...kinds])].map((name) => wholeTo(name, 100))
}

/** Whether a body says at each of these places what is wanted there. */
export function isMatching (body: unknown, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([path, text]) => valuesAt(body, path).some((value) => asText(value) === text))
}

/**
 * What a run is asked: the template with what the call has sent in the places that name it. A value is quoted, on one line and cut, and the
 * whole body is a block that nothing in it can end, so that neither reads as part of the template.
 */
export function requestOf (template: string, { name, event, body }: { name: string, event: string, body: unknown }): string {
  let places = 0
  // Looking through a large body takes its time.
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
  // Indentation grows with the square of the depth.
  const isDeep = beyondLimits(Buffer.from(JSON.stringify(body)), { levels: deepestIndented, values: Infinity }) !== null
  return materialBlock('call', { job, text: inert(JSON.stringify(body, null, isDeep ? 0 : 2)) }, payloadChars)
}

function quoted (value: unknown): string {
  const text = asText(value)
  const cut = wholeTo(text, valueChars)
  return inert(JSON.stringify(cut.length < text.length ? `${cut}…` : cut))
}

/** Nothing in it stands for something else, as places of templates do, and nobody reads in it what others do not see. */
const inert = (text: string): string => withoutUnseenWords(text).replaceAll(/\{(?=\{)/g, '{ ').replaceAll(lineEnds, escaped)
/** JSON leaves these as they are. */
const lineEnds = /[\u0085\u2028\u2029]/g
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
const asText = (value: unknown): string => typeof value === 'string' ? value : JSON.stringify(value)
const texts = (values: unknown[]): string[] => values.filter((value) => typeof value === 'string' && value !== '').map(String)
