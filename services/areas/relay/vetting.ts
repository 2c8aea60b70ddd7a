import { RelayFailed } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'

/** The statuses that a machine may answer with. For 500, the machine's own fault, clients get the service's own message. */
const statuses = new Set([200, 206, 304, 400, 403, 404, 409, 413, 415, 416, 429, 500, 503])
const longestValue = 4_096

/** Headers that are passed on to a client, and the values allowed for each. All others are dropped, cookies above all. */
const headers: Record<string, RegExp> = {
  'content-type': /^[\w.+-]+\/[\w.+-]+(?:; ?charset=[\w-]+)?$/,
  'content-length': /^\d{1,15}$/,
  'content-encoding': /^gzip$/,
  'content-disposition': /^(?:inline|attachment)(?:;[\x20-\x7e]*)?$/,
  'content-range': /^bytes (?:\d{1,15}-\d{1,15}|\*)\/\d{1,15}$/,
  // Only policies under which nothing can run, whatever the file is.
  'content-security-policy': /^(?:sandbox; )?default-src 'none'(?:; (?:img|media|font|style|object)-src(?: (?:'self'|data:|'unsafe-inline'))+)*; base-uri 'none'; form-action 'none'; frame-ancestors 'self'$/,
  'accept-ranges': /^bytes$/,
  etag: /^(?:W\/)?"[\x21\x23-\x7e]*"$/,
  'last-modified': /^[A-Z][a-z]{2}, [\x20-\x7e]{10,40}$/,
  'cache-control': /^(?:private, )?no-(?:cache|store)$/,
  vary: /^Accept-Encoding$/i,
  'retry-after': /^\d{1,6}$/,
  'x-frame-options': /^(?:DENY|SAMEORIGIN)$/,
  'cross-origin-resource-policy': /^same-origin$/,
  'x-relay-question': /^commit_message$/
}

/** Returns the head of a machine's answer, without anything that a client must not get. Throws RelayFailed for an invalid one. */
export function vetted (machine: string, said: Record<string, unknown>): { status: number, headers: Record<string, string> } {
  const { status } = said
  if (typeof status !== 'number' || !statuses.has(status)) throw new RelayFailed(`${machine} sent an invalid answer`)
  const passed = Object.entries(fieldsOf(said.headers)).flatMap(([name, value]): Array<[string, string]> => {
    const form = Object.hasOwn(headers, name) ? headers[name] : undefined
    return form !== undefined && typeof value === 'string' && value.length <= longestValue && form.test(value) ? [[name, value]] : []
  })
  return { status, headers: Object.fromEntries(passed) }
}
