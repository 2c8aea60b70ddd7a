import { type Random } from '../torture/random.js'
import { type Operation } from './document.js'
import { type Pool } from './pool.js'
import { type Values } from './values.js'
import { encoded, headerText, mutatedJson, mutatedTarget, strangeHeaders } from './mutations.js'
import { type Sent } from './wire.js'

export interface Made {
  sent: Sent
  /** False once the path was changed: then any route may answer. */
  isSameRoute: boolean
  /** The intended body, if it is JSON and was not broken afterwards. */
  meant: Record<string, unknown> | null
  /** The ids in the request, wherever they are. */
  named: string[]
}

export interface Maker { random: Random, pool: Pool, values: Values }

const boundary = 'fuzz7MA4YWxk'

/** Makes a request for an operation: what its schemas require, with one or two deviations; `isPlain`: without any. */
export function makeRequest (operation: Operation, { random, pool, values }: Maker, isPlain = false): Made {
  let left = isPlain ? 0 : random.pick([0, 0, 0, 1, 1, 1, 2])
  const mutates = (): boolean => left > 0 && random.chance(0.5) && left-- > 0
  const { path, query } = placed(operation, { random, pool, values }, mutates)
  const plainTarget = query.length === 0 ? path : `${path}?${query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')}`
  const target = mutates() ? mutatedTarget(plainTarget, random, values) : plainTarget
  const { body, type, meant } = bodyOf(operation, { random, pool, values }, mutates)
  const headers: Array<[string, string]> = [['Host', '127.0.0.1'], ...type === null ? [] : [['Content-Type', type] as [string, string]]]
  for (const { in: place, name, required } of operation.parameters) {
    if (place === 'header' && (required === true || random.chance(0.3))) headers.push([name, headerText(values.hostileText())])
  }
  const ids = [...query, ...Object.entries(meant ?? {})].filter(([name, value]) => name.endsWith('_id') && typeof value === 'string')
  return {
    named: ids.map(([, value]) => String(value)),
    sent: {
      method: operation.method,
      target,
      headers: mutates() || left > 0 ? strangeHeaders(headers, random, values) : headers,
      body,
      framing: body === null ? 'none' : isPlain || random.chance(0.92) ? 'length' : random.pick(['pieces', 'chunked', 'bad chunks', 'both', 'short', 'long', 'none'])
    },
    isSameRoute: target === plainTarget,
    meant
  }
}

function placed ({ path, area, parameters }: Operation, { random, values }: Maker, mutates: () => boolean) {
  const query: Array<[string, string]> = []
  let filled = path
  for (const { in: place, name, required, schema } of parameters) {
    const fits = values.fitting(schema, area, name)
    const value = mutates() ? values.hostileText() : typeof fits === 'string' ? fits : JSON.stringify(fits)
    if (place === 'path') filled = filled.replace(`{${name}}`, encoded(value) === '' ? '%20' : encoded(value))
    if (place === 'query' && (required === true ? random.chance(0.97) : random.chance(0.4))) query.push([name, value])
  }
  return { path: filled, query }
}

function bodyOf (operation: Operation, { random, pool, values }: Maker, mutates: () => boolean) {
  const { body, area } = operation
  if (body === null) return random.chance(0.02) ? { body: Buffer.from('{}'), type: 'application/json', meant: null } : { body: null, type: null, meant: null }
  if (body.mediaType === 'multipart/form-data') return { body: formOf({ random, pool, values }, area, mutates), type: `multipart/form-data; boundary=${boundary}`, meant: null }
  const meant = values.fitting(body.schema, area, '')
  const isObject = typeof meant === 'object' && meant !== null && !Array.isArray(meant)
  const bytes = mutates() ? mutatedJson(meant, random, values) : Buffer.from(JSON.stringify(meant))
  return {
    body: bytes, type: 'application/json',
    meant: isObject && bytes.equals(Buffer.from(JSON.stringify(meant))) ? meant as Record<string, unknown> : null
  }
}

/** Returns an upload form, with its fields in the usual order or another one. */
function formOf ({ random, pool, values }: Maker, area: string, mutates: () => boolean): Buffer {
  const session = pool.take(area, 'session_id')
  const fields = [['session_id', String(session ?? '')], ...random.chance(0.3) ? [['path', String(pool.take('files', 'path') ?? '')]] : [], ...random.chance(0.2) ? [['client_id', random.pick(['a', 'b', '\ufffd'])]] : []]
  if (mutates()) fields.push([values.hostileText().replace(/["\r\n]/g, ''), values.hostileText()])
  const name = (mutates() ? values.hostileText() : random.pick(['a.txt', 'b.md', 'archive.zip', 'picture.png', 'voice.webm'])).replace(/["\r\n]/g, '')
  const content = mutates() ? Buffer.from(values.hostileText()) : random.pick([Buffer.from('some text\n'), Buffer.alloc(70_000, 'x'), Buffer.from('PK\x03\x04', 'latin1'), Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')])
  const parts = [
    ...fields.map(([key, value]) => Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${key ?? ''}"\r\n\r\n${value ?? ''}\r\n`)),
    Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${random.pick(['text/plain', 'image/png', 'audio/webm'])}\r\n\r\n`), content, Buffer.from('\r\n')
    ])
  ]
  if (mutates()) parts.reverse()
  return Buffer.concat([...parts, Buffer.from(mutates() ? `--${boundary}` : `--${boundary}--\r\n`)])
}
