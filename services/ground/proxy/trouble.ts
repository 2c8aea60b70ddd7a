type ProxyProblem =
  'unusable' | 'unreached' | 'untrusted' | 'silent' | 'no_proxy' | 'login' | 'refused' | 'failed' | 'certificate'

type Words = (proxy: string, detail: string) => readonly [says: string, next: string]

const checkAddress = 'Check outgoing.proxy in config.yaml, or HTTPS_PROXY and HTTP_PROXY, and that the proxy is running.'
const nameAuthority = 'name the certificate of its authority in NODE_EXTRA_CA_CERTS and restart the service.'

const words: Readonly<Record<ProxyProblem, Words>> = {
  unusable: (source) => [
    `cannot be reached: ${source} is not the address of a proxy`, 'Write it like http://proxy.example.org:3128; https:// and socks5:// work as well.'
  ],
  unreached: (proxy, detail) => [`cannot be reached: the proxy ${proxy} does not answer${detail}`, checkAddress],
  untrusted: (proxy) => [
    `cannot be reached: the certificate of the proxy ${proxy} is not trusted here`, `If the proxy is your own, ${nameAuthority}`
  ],
  silent: (proxy) => [`cannot be reached: the proxy ${proxy} did not answer in time`, checkAddress],
  no_proxy: (proxy, detail) => [`cannot be reached: the server at ${proxy} is not a proxy${detail}`, checkAddress],
  login: (proxy) => [
    `cannot be reached: the proxy ${proxy} wants a login, or does not accept the one it was sent`,
    'Write user and password into the address of the proxy, like http://user:password@proxy.example.org:3128.'
  ],
  refused: (proxy, detail) => [
    `cannot be reached: the proxy ${proxy} refuses to connect to it${detail}`,
    'Ask whoever runs the proxy to permit it. If no proxy is needed to reach it, add its host to NO_PROXY or outgoing.no_proxy.'
  ],
  failed: (proxy, detail) => [
    `cannot be reached: the proxy ${proxy} could not connect to it${detail}`, 'Check its address. If it is right, try again, or ask whoever runs the proxy.'
  ],
  certificate: (proxy) => [
    `has a certificate that is not trusted here, received through the proxy ${proxy}`, `If the proxy inspects TLS, ${nameAuthority}`
  ]
}

/** Problems that may be gone later. */
const passing = new Set<ProxyProblem>(['unreached', 'silent', 'failed'])

/**
 * Thrown if the proxy is the reason why something cannot be reached. `says` is the end of a sentence about the target, `next` what can be
 * done about it. Neither holds the proxy's user or password.
 */
export class ProxyTrouble extends Error {
  readonly code: string
  readonly says: string
  readonly next: string
  readonly isPassing: boolean

  /**
   * @param proxy how the proxy is shown to people; for `unusable`, where its address was read
   * @param detail a status or the code of an error
   */
  constructor (readonly problem: ProxyProblem, readonly proxy: string, detail: string | number | null = null, options?: ErrorOptions) {
    const [says, next] = words[problem](proxy, detail === null ? '' : ` (${detail})`)
    super(says, options)
    this.name = 'ProxyTrouble'
    this.code = `proxy_${problem}`
    this.says = says
    this.next = next
    this.isPassing = passing.has(problem)
  }
}
