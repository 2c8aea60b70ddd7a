import { type NatsConnection } from '@nats-io/nats-core'
import { fieldsOf } from '../fields.js'
import { redact } from '../redaction/index.js'
import { chainOf } from '../network/unreached.js'

/** Another writer has changed a key or a stream meanwhile. */
export const wrongRevision = 10071
export const noSuchStream = 10059
const notEnabled = new Set([10039, 10076])
const noRoom = new Set([10023, 10028, 10047, 10077])

/** Returns JetStream's number of an error; undefined for other errors. */
export function errorCode (error: unknown): number | undefined {
  const { code } = fieldsOf(error)
  return typeof code === 'number' ? code : undefined
}

/** Whether the server, an account or a stream has no room. */
export const isFull = (error: unknown): boolean => noRoom.has(errorCode(error) ?? 0)

/**
 * Returns in one sentence what is wrong with a NATS server or the way to it, for the person who set it up. `where`: its addresses, without
 * secrets.
 */
export function inWords (error: unknown, where = 'it was told'): string {
  const causes = chainOf(error)
  const codes = causes.map((cause) => fieldsOf(cause).code)
  const has = (name: string): boolean => causes.some((cause) => cause.name === name)
  const text = causes.map(({ message }) => message).join(': ')
  if (has('AuthorizationError') || has('UserAuthenticationExpiredError')) return 'The NATS server refuses these credentials.'
  if (has('PermissionViolationError')) {
    return 'The NATS server does not allow this with these credentials: they belong to another name, or to another prefix.'
  }
  if (codes.some((code) => typeof code === 'number' && notEnabled.has(code)) || has('JetStreamNotEnabled')) {
    return 'The NATS server keeps no streams: start it with JetStream (nats-server -js).'
  }
  if (codes.some((code) => typeof code === 'number' && noRoom.has(code))) {
    return 'The NATS server has no room for it: give JetStream more (max_file_store), or make SVC_NATS_RUNS_MB smaller.'
  }
  if (codes.includes(noSuchStream)) {
    return 'The service has not been connected to this NATS server yet, or uses another prefix: start it with SVC_NATS_URL.'
  }
  if (codes.includes('ERR_TLS_CERT_ALTNAME_INVALID')) {
    return `The certificate of the NATS server is for another name than that in ${where} (${redact(text).slice(0, 200)}).`
  }
  if (codes.includes('CERT_HAS_EXPIRED')) return 'The certificate of the NATS server has expired.'
  if (/CERT|certificate|self.signed|UNABLE_TO_VERIFY|ALTNAME/i.test(`${text} ${codes.join(' ')}`)) {
    return `The certificate of the NATS server is not accepted (${redact(text).slice(0, 200)}): name the authority that has signed it (--ca, SVC_NATS_CA).`
  }
  if (/illegal seed|invalid seed|bad seed|checksum|encoding|credentials$/i.test(text) && !codes.includes('ENOENT')) {
    return 'The file of credentials holds neither the seed of a key pair nor credentials.'
  }
  if (codes.includes('ENOENT') || codes.includes('EACCES') || codes.includes('EISDIR')) {
    return 'The file of credentials or certificates cannot be read.'
  }
  if (codes.some((code) =>
    ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ECONNRESET', 'EAI_AGAIN'].includes(String(code))) ||
    has('ConnectionError') || has('ClosedConnectionError') || has('TimeoutError') || has(
    'DrainingConnectionError'
  )) return `The NATS server does not answer at the address ${where}.`
  if (has('NoRespondersError') || /no responders|503/.test(text)) {
    return 'The NATS server keeps no streams: start it with JetStream (nats-server -js).'
  }
  return `The NATS server has answered with an error: ${redact(text).slice(0, 200)}`
}

/** Whether the server has streams at all, so that only one of them is missing. */
export async function keepsStreams ({ nc }: { nc: NatsConnection }): Promise<boolean> {
  return await nc.request('$JS.API.INFO', undefined, { timeout: 2_000 })
    .then((answer) => fieldsOf(answer.json()).error === undefined, () => false)
}

/** Returns addresses as they may be shown: without user and password. */
export function shownUrls (urls: readonly string[]): string {
  return urls.map((url) => URL.canParse(url) ? `${new URL(url).protocol}//${new URL(url).host}` : url).join(', ')
}
