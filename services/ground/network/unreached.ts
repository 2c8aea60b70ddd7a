import { ProxyTrouble } from '../proxy/trouble.js'

/** Why an address gives no answer, in the order of the steps of a request, from resolving the name to reading the answer. */
export type Unreached =
  | 'blocked_port'
  | 'name_not_found'
  | 'refused'
  | 'no_route'
  | 'certificate'
  | 'no_tls'
  | 'no_http'
  | 'false_compression'
  | 'no_connection'
  | 'timed_out'
  | 'broke_off'

/**
 * Patterns for codes of the network, of TLS, of Node's HTTP parser (newer ones have only a name) and of its decompression, with the meaning
 * of each. The first match counts.
 */
const causes: ReadonlyArray<readonly [codes: RegExp, Unreached]> = [
  [/ENOTFOUND|EAI_AGAIN|EAI_FAIL|EAI_NODATA/, 'name_not_found'],
  [/ECONNREFUSED/, 'refused'],
  [/EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL/, 'no_route'],
  [/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|ERR_TLS/, 'certificate'],
  [/ERR_SSL|EPROTO/, 'no_tls'],
  [/HPE_(?!HEADER_OVERFLOW)|HTTPParserError/, 'no_http'],
  [/Z_DATA_ERROR|Z_NEED_DICT|ERR__ERROR_FORMAT|ERR_BROTLI/, 'false_compression'],
  [/CONNECT_TIMEOUT|ETIMEDOUT/, 'no_connection'],
  [/HEADERS_TIMEOUT|BODY_TIMEOUT|TimeoutError/, 'timed_out'],
  [/ECONNRESET|EPIPE|UND_ERR_SOCKET|PREMATURE_CLOSE/, 'broke_off']
]

/** `fetch` sends nothing to ports of mail, shells and the like (Fetch standard, port blocking). Its error has this message and no code. */
const blockedPort = 'bad port'

/** Why a request failed, and a code for the log. */
type UnreachedCause = { cause: Unreached, code: string } | { cause: 'proxy', code: string, trouble: ProxyTrouble }

/** Returns the cause of a failed request; null if it is unknown. */
export function unreachedBy (error: unknown): UnreachedCause | null {
  const trouble = chainOf(error).find((each) => each instanceof ProxyTrouble)
  if (trouble !== undefined) return { cause: 'proxy', code: trouble.code, trouble }
  if (chainOf(error).some(({ message }) => message === blockedPort)) return { cause: 'blocked_port', code: blockedPort }
  const codes = codesOf(error)
  for (const [pattern, cause] of causes) {
    const code = codes.find((each) => pattern.test(each))
    if (code !== undefined) return { cause, code: code === 'TimeoutError' ? 'timeout' : code }
  }
  return null
}

/** Returns the codes and names of an error and of its causes. */
export function codesOf (error: unknown): string[] {
  return chainOf(error).flatMap(({ code, name }) => [...(typeof code === 'string' ? [code] : []), name])
}

/** Returns an error and its causes, at most five, the outermost first. */
export function chainOf (error: unknown): Array<Error & { code?: unknown }> {
  const chain: Array<Error & { code?: unknown }> = []
  for (let inner = error; inner instanceof Error && chain.length < 5; inner = inner.cause) chain.push(inner)
  return chain
}

const inWords: Readonly<Record<Unreached, readonly [says: string, next: string]>> = {
  blocked_port: [
    'has a port that no HTTP request is sent to, as it belongs to another protocol',
    'Have it listen at another port, and change its address.'
  ],
  name_not_found: ['has a name that is not known', 'Check its address, and the network and DNS of this machine.'],
  refused: ['is not running: nothing listens at its address', 'Start it, or check the port in its address.'],
  no_route: ['has an address that this machine has no way to', 'Check its address, and the network and firewall of this machine.'],
  certificate: [
    'has a certificate that is not trusted here',
    'Is it a server of your own? Name its certificate in NODE_EXTRA_CA_CERTS and restart the service. If not, check its address.'
  ],
  no_tls: ['does not speak TLS', 'Its address may have to begin with http:// instead of https://, or name another port.'],
  no_http: ['does not answer in HTTP', 'Its address may have to begin with https:// instead of http://, or name another port.'],
  false_compression: [
    'sends an answer that says it is compressed and cannot be unpacked', 'Check the server, or the proxy in front of it.'
  ],
  no_connection: ['did not answer in time: no connection came about', 'Check that it is running, its address, and the firewall between.'],
  timed_out: ['did not answer in time', 'Check that it is running, and try again.'],
  broke_off: ['did not answer, or broke off', 'Check that it is running, and try again.']
}

/** Returns the end of a sentence about an address that a person has set, and what that person can do. Neither contains the address. */
export function unreachedInWords (unreached: UnreachedCause): { says: string, next: string } {
  if (unreached.cause === 'proxy') return { says: unreached.trouble.says, next: unreached.trouble.next }
  const [says, next] = inWords[unreached.cause]
  return { says, next }
}
