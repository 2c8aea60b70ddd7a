import { networkInterfaces } from 'node:os'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { hostOf } from '../resolved-addresses.js'
import { tried } from '../tried.js'
import { ProxyTrouble } from './trouble.js'

export interface Proxy {
  kind: 'http' | 'socks5'
  /** It is spoken to over TLS. */
  isEncrypted: boolean
  host: string
  port: number
  login: { user: string, password: string } | null
  /** Its address as people are shown it, without user and password. */
  shown: string
  /** The whole address, as other programs read it. */
  href: string
}

/** `proxy`: used instead of the variables; `direct`: no proxy, whatever they say. */
export interface OutgoingSection { proxy?: string, no_proxy?: string | string[] }

/** How connections leave this machine. It never changes; other settings make another one. */
export interface Routes {
  /** The proxies that are in use. */
  proxies: readonly Proxy[]
  /** What a connection goes through; null: nothing. Throws ProxyTrouble where the address of the proxy is not usable. */
  proxyFor (url: URL): Proxy | null
  /** The same routes as variables for other programs. `isTrusted`: they also get proxies whose address holds a password. */
  variables (isTrusted: boolean): Record<string, string>
}

type Source = Proxy | ProxyTrouble | null

const schemes = /^(?:https?|socks(?:5h?)?):$/
const usualPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }
const socksPort = 1080
/** This machine, as programs in its containers call it. */
const hostOfContainer = /^(?:host|gateway)\.docker\.internal$|^host\.containers\.internal$/
/** Other programs do not know by themselves that this machine is reached directly. */
const localNames = ['localhost', '127.0.0.1', '::1']
/** Certificates of one's own, which what goes out needs behind a proxy that inspects TLS. */
const authorities = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` as curl does: in lower case they win, `ALL_PROXY` is for what has no
 * proxy of its own. What config.yaml says wins over both. Never throws. Pure, apart from the addresses of this machine.
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
      const host = hostOf(url).toLowerCase().replace(/\.$/, '')
      if (source === null || isThisMachine(host) || exceptions.some((excepts) => excepts(host, portOf(url)))) return null
      if (source instanceof ProxyTrouble) throw source
      return source
    },
    variables (isTrusted) {
      const given = Object.fromEntries(authorities.flatMap((name) => env[name] === undefined ? [] : [[name, env[name]]]))
      const found = { HTTPS_PROXY: secure, HTTP_PROXY: plain, ALL_PROXY: secure ?? plain }
      const proxies = Object.entries(found).flatMap(([name, source]) =>
        source === null || source instanceof ProxyTrouble || (source.login !== null && !isTrusted) ||
        // Few programs know SOCKS by any other name.
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
  const host = hostOf(url)
  if (!schemes.test(protocol) || host === '') return new ProxyTrouble('unusable', source)
  const kind = protocol.startsWith('http') ? 'http' : 'socks5'
  const port = url.port === '' ? usualPorts[protocol] ?? socksPort : Number(url.port)
  const origin = `${url.hostname}:${port}`
  const login = username === '' && password === '' ? null : { user: decoded(username), password: decoded(password) }
  // Names are the proxy's to resolve: what this machine knows of them is looked at before.
  const scheme = kind === 'socks5' ? 'socks5h:' : protocol
  return {
    kind, isEncrypted: protocol === 'https:', host, port, login, shown: origin,
    href: `${scheme}//${login === null ? '' : `${username}:${password}@`}${origin}`
  }
}

const decoded = (text: string): string => tried(() => decodeURIComponent(text), text)

const portOf = ({ port, protocol }: URL): number => port !== '' ? Number(port) : protocol === 'https:' || protocol === 'wss:' ? 443 : 80

/** Where an entry of NO_PROXY applies: `*`, a name with all below it (also `.name`, `*.name`), an address, a network; each with a port. */
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

/** What is on this machine is reached directly, whatever is set. */
function isThisMachine (host: string): boolean {
  if (isIP(host) === 0) return /(^|\.)localhost$/.test(host) || hostOfContainer.test(host)
  const address = ipaddr.process(host)
  return ['loopback', 'unspecified'].includes(address.range()) ||
    Object.values(networkInterfaces()).some((own) => own?.some((each) => each.address === address.toString()) === true)
}
