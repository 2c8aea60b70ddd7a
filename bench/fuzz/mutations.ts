import { type Random } from '../torture/random.js'
import { type Values } from './values.js'

/** Returns a text without characters that would end a header. */
export const headerText = (text: string): string =>
  Buffer.from(text).toString('latin1').replace(/[\r\n\0]/g, ' ').slice(0, 4_000)

/** Encodes a text for a path or a query. Half a character becomes its replacement. */
export const encoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString())

type Node = Record<string, unknown> | unknown[]
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** Returns the bytes of a body with something about it that no schema asks for. */
export function mutatedJson (value: unknown, random: Random, values: Values): Buffer {
  if (random.chance(0.6)) return Buffer.from(jsonOf(mutated(value, random, values)))
  return random.pick(textMutations)(jsonOf(value), random, values)
}

/** Like any client, writes null for what JSON cannot express. */
const jsonOf = (value: unknown): string => JSON.stringify(value) ?? 'null'

/** Returns the value with one of its parts moved, left out, added or made hostile. */
function mutated (value: unknown, random: Random, values: Values): unknown {
  const copy = structuredClone(value)
  const nodes: Node[] = []
  const collect = (node: unknown): void => {
    if (!isNode(node)) return
    nodes.push(node)
    Object.values(node).forEach(collect)
  }
  collect(copy)
  if (nodes.length === 0 || random.chance(0.05)) return values.hostile()
  const node = random.pick(nodes) as Record<string, unknown>
  const keys = Object.keys(node)
  const key = keys.length === 0 ? 'unknown' : random.pick(keys)
  const change = random.whole(0, 6)
  if (change <= 3) node[key] = values.hostile()
  else if (change === 4) Reflect.deleteProperty(node, key)
  else if (change === 5) node[key] = Array.from({ length: random.pick([1, 2, 200, 2_000]) }, () => node[key])
  else Object.defineProperty(node, random.pick(['__proto__', 'constructor', 'toString', '', '\0', 'a'.repeat(300)]), { value: values.hostile(), enumerable: true, configurable: true })
  return copy
}

type TextMutation = (text: string, random: Random, values: Values) => Buffer

const inserted = (text: string, random: Random, what: Buffer | string): Buffer => {
  const bytes = Buffer.from(text)
  const at = random.whole(0, bytes.length)
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(what as string), bytes.subarray(at)])
}

const textMutations: TextMutation[] = [
  (text, random) => Buffer.from(text).subarray(0, random.whole(0, Buffer.byteLength(text))),
  (text, random) => inserted(text, random, random.pick([Buffer.from([0xff]), Buffer.from([0xc0, 0x80]), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from([0xf4, 0x90, 0x80, 0x80]), Buffer.from([0]), '\ufeff', ',', '"', '\\', '{', '//'])),
  // Duplicate keys, and keys that every object inherits.
  (text, random, values) => Buffer.from(text.replace(/^\{"([^"]*)":/, (all, key: string) => `{${JSON.stringify(key)}:${jsonOf(values.hostile())},${all.slice(1)}`)),
  (text, random) => Buffer.from(text.replace(/^\{/, `{${random.pick(['"__proto__":{"isAdmin":true},', '"constructor":{"prototype":{"a":1}},', '"a":1e999,', '"a":-0,', '"a":123456789012345678901234567890,', '"a":"\\ud800",', '"\\udc00":1,'])}`)),
  (text, random) => Buffer.from(text.replace(/:("[^"]*"|\d+)/, `:${random.pick(['1e999', '-1e999', '123456789012345678901234567890', '"\\ud83d"', '"\\u0000"', '0.1e-400', '01', 'NaN', "'a'"])}`)),
  (text, random) => {
    const depth = random.pick([100, 600, 20_000])
    const deep = random.chance(0.5) ? '['.repeat(depth) + ']'.repeat(depth) : '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)
    return Buffer.from(text.replace(/:("[^"]*"|\d+|true|false|null)/, () => `:${deep}`))
  },
  (text) => Buffer.from(text, 'utf16le'),
  (text) => Buffer.from(`${text}${text}`),
  (text) => Buffer.from(`\ufeff${text}`),
  (text, random) => Buffer.from(text.replace(/^\{/, `{${Array.from({ length: random.pick([100, 11_000]) }, (_, index) => `"k${index}":${index},`).join('')}`)),
  (_text, random) => Buffer.alloc(random.pick([0, 1, 1_048_577, 2_500_000]), random.pick([' ', '[', '"', 'a']))
]

/** Returns the target with something that a router may read differently. */
export function mutatedTarget (target: string, random: Random, values: Values): string {
  const [path = '', query = ''] = target.split('?', 2)
  const text = encoded(values.hostileText()).slice(0, 9_000)
  return random.pick([
    `${path}/?${query}`, `/${path}?${query}`, `${path}/..${path}?${query}`, `${path}%2f?${query}`, `${path}%00?${query}`, `${path}%zz?${query}`, path.replaceAll('/', '\\'),
    `${path.replace('api', '%61pi')}?${query}`, `${path.replace('/api', '/./api')}?${query}`, `${path.replace('/api', '/%2e%2e/api')}?${query}`, `${path.toUpperCase()}?${query}`,
    `${path};a=b?${query}`, `http://127.0.0.1${target}`, `http://evil.invalid${target}`, `${target}#a`, '*', `${path}?${query}&${query}`, `${path}?${query.replaceAll('=', '[]=')}`,
    `${path}?${query.replaceAll('=', '[__proto__]=')}`, `${path}?${query}&__proto__=1&constructor=2`, `${path}?${query.replace(/=[^&]*/, '=%ff%fe')}`, `${path}?${query.replace(/=[^&]*/, '=%00')}`,
    `${path}?${query.replace(/=[^&]*/, '=%zz')}`, `${path}?${query.replace(/=[^&]*/, `=${text}`)}`, `${path}?${query.replace(/=[^&]*/, '')}`, `${path}?${'a&'.repeat(3_000)}${query}`, `${path}??${query}`, `${path}?${text}`
  ])
}

/** Returns headers that are false, duplicated, or claim more than a service should believe. */
export function strangeHeaders (headers: Array<[string, string]>, random: Random, values: Values): Array<[string, string]> {
  const contentType = random.pick([
    'text/plain', 'application/json; charset=utf-16', 'application/json; charset=latin1', 'application/json;', 'APPLICATION/JSON', 'application/json, text/plain', 'application/vnd.api+json',
    'application/x-www-form-urlencoded', 'multipart/form-data', 'multipart/form-data; boundary=', `multipart/form-data; boundary=${'b'.repeat(300)}`, 'text/event-stream', '', '/', 'a'.repeat(2_000)
  ])
  if (random.chance(0.2)) return headers.map(([name, value]) => [name, name === 'Content-Type' ? contentType : value])
  const text = headerText(values.hostileText())
  return [...headers, random.pick<[string, string]>([
    ['Content-Type', contentType], ['Range', random.pick(['bytes=0-0', 'bytes=-1', 'bytes=5-1', 'bytes=0-,0-,0-', `bytes=${'0-1,'.repeat(500)}0-1`, 'bytes=99999999999999999999-', 'lines=1-2', text])],
    ['If-Range', text], ['If-None-Match', random.pick(['*', '""', 'W/"a"', `${'"a",'.repeat(2_000)}"b"`, text])], ['If-Modified-Since', random.pick(['0', 'Thu, 01 Jan 1970 00:00:00 GMT', text])], ['If-Match', '"a"'],
    ['Expect', random.pick(['100-continue', '200-ok', text])], ['X-Forwarded-For', random.pick(['1.2.3.4', '::1', '127.0.0.1, 1.2.3.4', `${'1.1.1.1,'.repeat(500)}2.2.2.2`, text])],
    ['X-Forwarded-Proto', random.pick(['https', 'javascript', text])], ['X-Forwarded-Host', random.pick(['evil.invalid', '127.0.0.1:1', text])], ['Forwarded', 'for=1.2.3.4;proto=https;host=evil.invalid'],
    ['X-Original-URL', '/api/settings'], ['X-HTTP-Method-Override', 'DELETE'], ['Cookie', random.pick(['svc_session=a', 'svc_profile=../../x', 'svc_profile=%00', `a=${'b'.repeat(5_000)}`, '=;=;', text])],
    ['Host', random.pick(['evil.invalid', '127.0.0.1', '[::1]', 'localhost:99999', text])], ['Origin', random.pick(['null', 'http://evil.invalid', 'http://127.0.0.1', text])], ['Referer', 'http://evil.invalid/'],
    ['Sec-Fetch-Site', random.pick(['cross-site', 'same-origin', 'none', text])], ['Sec-Fetch-Dest', random.pick(['image', 'iframe', 'document'])], ['Authorization', random.pick(['Bearer', 'Bearer x', 'Basic YTpi', `Bearer ${text}`])],
    ['Accept', random.pick(['text/html', 'application/xml', '*/*;q=0', text])], ['Accept-Encoding', random.pick(['gzip', 'br', 'deflate', 'zstd', 'gzip;q=0, *', 'identity;q=0', text])], ['Accept-Language', text],
    ['Last-Event-ID', random.pick(['1', '-1', '999999999', 'run_journal:x:1', text])], ['Content-Encoding', random.pick(['gzip', 'br', 'identity'])], ['Transfer-Encoding', random.pick(['gzip', 'identity', 'chunked, chunked'])],
    ['Connection', random.pick(['close', 'upgrade', 'keep-alive, content-length'])], ['Upgrade', 'websocket'], ['Content-Length', random.pick(['0', '-1', '1e3', '00005'])], ['X-Request-Id', text], ['X-Svc-CSRF-Token', text],
    ['Mcp-Session-Id', text], ['MCP-Protocol-Version', random.pick(['2025-06-18', '1', text])], ['X-Session-Id', text], ['TE', 'trailers'], ['X'.repeat(9_000), 'a']
  ])]
}
