import { chainOf, unreachedBy, type Unreached as Cause } from '../ground/network/unreached.js'

/** Thrown if a provider's address answers successfully, but with a web page. */
export class WebPage extends Error {
  constructor () {
    super('A web page came instead of an answer')
  }
}

/** Why no request reaches a provider: a code for clients, a message, and what to do. */
export interface Unreached {
  problem: 'name_not_found' | 'refused' | 'tls' | 'wrong_address' | 'timed_out' | 'no_answer' | 'proxy'
  message: string
  hint: string
  /** Whether it may go away by itself. */
  retryable: boolean
}

type Words = Omit<Unreached, 'message'> & { message: (name: string) => string }

const webPage: Words = {
  problem: 'wrong_address', retryable: false, message: (name) => `The address of ${name} answers with a web page instead of an API.`,
  hint: 'Check its base_url: of most servers it ends in /v1.'
}

/**
 * The words for each cause when a provider's address is its `base_url`. A connection that broke off is described elsewhere, with what came
 * before.
 */
const causes: Readonly<Partial<Record<Cause, Words>>> = {
  blocked_port: {
    problem: 'wrong_address', retryable: false,
    message: (name) => `${name}'s address has a port that no HTTP request is sent to, as it belongs to another protocol.`,
    hint: 'Have the server listen at another port, and change its base_url.'
  },
  name_not_found: {
    problem: 'name_not_found', retryable: true, message: (name) => `The name of ${name}'s server is not known.`,
    hint: 'Check its base_url, and the network and DNS of this machine.'
  },
  refused: {
    problem: 'refused', retryable: true, message: (name) => `Nothing listens at ${name}'s address.`,
    hint: 'Check that the server is running, and the port in its base_url.'
  },
  no_route: {
    problem: 'no_answer', retryable: true, message: (name) => `There is no way from this machine to ${name}'s address.`,
    hint: 'Check its base_url, and the network and firewall of this machine.'
  },
  certificate: {
    problem: 'tls', retryable: false, message: (name) => `The certificate of ${name}'s server is not trusted here.`,
    hint: 'Is it a server of your own? Name its certificate in NODE_EXTRA_CA_CERTS and restart the service. If not, check its base_url.'
  },
  no_tls: {
    problem: 'tls', retryable: false, message: (name) => `${name}'s address does not speak TLS.`,
    hint: 'Its base_url may have to begin with http:// instead of https://, or name another port.'
  },
  no_http: {
    problem: 'wrong_address', retryable: false, message: (name) => `${name}'s address does not answer in HTTP.`,
    hint: 'Its base_url may have to begin with https:// instead of http://, or name another port.'
  },
  false_compression: {
    problem: 'wrong_address', retryable: false,
    message: (name) => `${name}'s address sends an answer that says it is compressed and cannot be unpacked.`,
    hint: 'Check the server, or the proxy in front of it.'
  },
  no_connection: {
    problem: 'timed_out', retryable: true, message: (name) => `${name}'s address did not answer in time: no connection came about.`,
    hint: 'Check that the server is running, its base_url, and the firewall between.'
  }
}

/**
 * A proxy's request for a login (status 407) is the only status that `fetch` does not return as an answer: it fails without giving a reason
 * (Fetch standard, HTTP-network-or-cache fetch).
 */
const proxyLogin: Words = {
  problem: 'wrong_address', retryable: false, message: (name) => `A proxy on the way to ${name} wants a login.`,
  hint: 'Check HTTP_PROXY and HTTPS_PROXY of the service, and its base_url.'
}
const isProxyLogin = (chain: Error[]): boolean => chain.some((each) => /Proxy response \(407\)/.test(each.message)) ||
  chain.some(({ cause }) => cause instanceof Error && cause.name === 'Error' && cause.message === '' && !('code' in cause))

const inWords = (name: string, { message, ...words }: Words): Unreached => ({ ...words, message: message(name) })

/** Returns why a provider cannot be reached, by the codes of an error and its causes; null if they do not tell. */
export function unreached (name: string, error: unknown): Unreached | null {
  const chain = chainOf(error)
  if (chain.some((each) => each instanceof WebPage)) return inWords(name, webPage)
  if (isProxyLogin(chain)) return inWords(name, proxyLogin)
  const found = unreachedBy(error)
  if (found?.cause === 'proxy') {
    const { says, next, isPassing } = found.trouble
    return { problem: 'proxy', message: `${name} ${says}.`, hint: next, retryable: isPassing }
  }
  const words = found === null ? undefined : causes[found.cause]
  return words === undefined ? null : inWords(name, words)
}

export const isWebPage = (text: unknown): boolean => typeof text === 'string' && /^\s*<(?:!doctype|html|head|body|\?xml)/i.test(text)

export const webPageInWords = (name: string): Unreached => inWords(name, webPage)
