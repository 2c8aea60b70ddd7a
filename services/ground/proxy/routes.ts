import { networkInterfaces } from 'node:os'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { bareHostname } from '../network/resolved-addresses.js'
import { tried } from '../tried.js'
import { ProxyTrouble } from './trouble.js'

export interface Proxy {
  kind: 'http' | 'socks5'
  /** Whether it is reached over TLS. */
  isEncrypted: boolean
  host: string
  port: number
  login: { user: string, password: string } | null
  /** Its address as shown to people, without user and password. */
  shown: string
  /** The whole address, as other programs read it. */
  href: string
}

/** The section `outgoing` of config.yaml. `proxy` replaces the variables; `direct` means no proxy, whatever they say. */
export interface OutgoingSection { proxy?: string, no_proxy?: string | string[] }

/** How connections leave this machine. Immutable: other settings make a new one. */
export interface Routes {
  /** The proxies that are in use. */
  proxies: readonly Proxy[]
  /** Returns the proxy for a connection; null if it is direct. Throws ProxyTrouble if the proxy's address is unusable. */
  proxyFor (url: URL): Proxy | null
  /** Returns the same routes as variables for other programs. With `isTrusted`, that includes proxies whose address holds a password. */
  variables (isTrusted: boolean): Record<string, string>
}

type Source = Proxy | ProxyTrouble | null

const schemes = /^(?:https?|socks(?:5h?)?):$/
const usualPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }
const socksPort = 1080
/** Names that programs in containers use for this machine. */
const hostOfContainer = /^(?:host|gateway)\.docker\.internal$|^host\.containers\.internal$/
/** Other programs do not know by themselves that this machine is reached directly. */
const localNames = ['localhost', '127.0.0.1', '::1']
/** Variables for additional certificates, which outgoing connections need behind a proxy that inspects TLS. */
const authorities = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` as curl does: lower-case names take precedence, and `ALL_PROXY` applies
 * where no other is set. config.yaml takes precedence over all. Never throws. Pure, apart from the addresses of this machine.
 */
export function createRoutes (env: Readonly<Record<string, string | undefined>>, section: OutgoingSection = {}): Routes {
  const variable = (name: string): string => (env[name.toLowerCase()] ?? env[name] ?? '').trim()
  const named = section.proxy?.trim() ?? ''
  const read = (name: string): Source => {
    if (named !== '') return named.toLowerCase() === 'direct' ? null : proxyOf(named, 'outgoing.proxy')
    const own = variable(name)
    return own !== '' ? proxyOf(own, name) : variable('ALL_PROXY') === '' ? null : proxyOf(variable('ALL_PROXY'), 'ALL_PROXY')
  }
  const [secure, plain] = [read('HTTPS_PROXY'), read('HTTP_PROXY')]
  const usable = [secure, plain].filter((source): source is Proxy => source !== null && !(source instanceof ProxyTrouble))
  const entries = [section.no_proxy ?? variable('NO_PROXY')].flat().flatMap((text) => text.split(/[\s,]+/)).filter((entry) => entry !== '')
  const exceptions = entries.map(exceptionOf)
  return {
    proxies: usable.filter(({ href }, index) => usable.findIndex((other) => other.href === href) === index),
    proxyFor (url) {
      const source = url.protocol === 'https:' || url.protocol === 'wss:' ? secure : plain
      const host = bareHostname(url).toLowerCase().replace(/\.$/, '')
      if (source === null || isThisMachine(host) || exceptions.some((excepts) => excepts(host, portOf(url)))) return null
      if (source instanceof ProxyTrouble) throw source
      return source
    },
    variables (isTrusted) {
      const given = Object.fromEntries(authorities.flatMap((name) => env[name] === undefined ? [] : [[name, env[name]]]))
      const found = { HTTPS_PROXY: secure, HTTP_PROXY: plain, ALL_PROXY: secure ?? plain }
      const proxies = Object.entries(found).flatMap(([name, source]) =>
        source === null || source instanceof ProxyTrouble || (source.login !== null && !isTrusted) ||
        // Few programs accept SOCKS in any other variable.
        (source.kind === 'socks5') !== (name === 'ALL_PROXY')
          ? []
          : [[name, source.href], [name.toLowerCase(), source.href]])
      if (proxies.length === 0) return given
      const direct = [...localNames, ...entries].join(',')
      return { ...given, ...Object.fromEntries(proxies), NO_PROXY: direct, no_proxy: direct }
    }
  }
}

function proxyOf (text: string, source: string): Proxy | ProxyTrouble {
  const address = text.includes('://') ? text : `http://${text}`
  if (!URL.canParse(address)) return new ProxyTrouble('unusable', source)
  const url = new URL(address)
  const { protocol, username, password } = url
  const host = bareHostname(url)
  if (!schemes.test(protocol) || host === '') return new ProxyTrouble('unusable', source)
  const kind = protocol.startsWith('http') ? 'http' : 'socks5'
  const port = url.port === '' ? usualPorts[protocol] ?? socksPort : Number(url.port)
  const origin = `${url.hostname}:${port}`
  const login = username === '' && password === '' ? null : { user: decoded(username), password: decoded(password) }
  // The proxy resolves names. What this machine knows about them is checked before.
  const scheme = kind === 'socks5' ? 'socks5h:' : protocol
  return {
    kind, isEncrypted: protocol === 'https:', host, port, login, shown: origin,
    href: `${scheme}//${login === null ? '' : `${username}:${password}@`}${origin}`
  }
}

const decoded = (text: string): string => tried(() => decodeURIComponent(text), text)

const portOf = ({ port, protocol }: URL): number => port !== '' ? Number(port) : protocol === 'https:' || protocol === 'wss:' ? 443 : 80

/**
 * Returns whether an entry of NO_PROXY matches a host and port. An entry is `*`, a name with all below it (also `.name`, `*.name`), an
 * address or a network, each optionally with a port.
 */
function exceptionOf (entry: string): (host: string, port: number) => boolean {
  if (entry === '*') return () => true
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? [null, null, entry, undefined]
  const name = (bracketed ?? plain ?? entry).toLowerCase().replace(/^\*?\./, '').replace(/\.$/, '')
  const isThere = hostsOf(name)
  return (host, port) => (digits === undefined || Number(digits) === port) && isThere(host)
}

function hostsOf (name: string): (host: string) => boolean {
  if (ipaddr.isValidCIDR(name)) {
    const network = ipaddr.parseCIDR(name)
    return (host) => isIP(host) !== 0 && sameKind(ipaddr.process(host), network)
  }
  if (isIP(name) !== 0) {
    const address = ipaddr.process(name).toString()
    return (host) => isIP(host) !== 0 && ipaddr.process(host).toString() === address
  }
  return (host) => host === name || host.endsWith(`.${name}`)
}

function sameKind (address: ipaddr.IPv4 | ipaddr.IPv6, network: [ipaddr.IPv4 | ipaddr.IPv6, number]): boolean {
  return address.kind() === network[0].kind() && address.match(network)
}

/** Whether a host is this machine, which is always reached directly. */
function isThisMachine (host: string): boolean {
  if (isIP(host) === 0) return /(^|\.)localhost$/.test(host) || hostOfContainer.test(host)
  const address = ipaddr.process(host)
  return ['loopback', 'unspecified'].includes(address.range()) ||
    Object.values(networkInterfaces()).some((own) => own?.some((each) => each.address === address.toString()) === true)
}
