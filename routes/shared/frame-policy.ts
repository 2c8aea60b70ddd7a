/** The addresses that a view declares it needs (`_meta.ui.csp` of the MCP Apps extension): origins, as written in a policy. */
export interface FrameDomains {
  connect: readonly string[]
  resource: readonly string[]
  frame: readonly string[]
  base: readonly string[]
}

const mostOrigins = 30
/** Matches an encrypted origin with a dot in its name and nothing after the port; it may cover all hosts of a domain. */
const origin = /^(?:https|wss):\/\/(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9](?::\d{1,5})?$/

/** Returns the origins that a policy may name: never an address of this service, nor text that would be read as another directive. */
export function namedOrigins (wanted: readonly string[], ownHost: string): string[] {
  const clean = wanted.map((text) => text.trim().toLowerCase().replace(/\/$/, '')).filter((text) => text.length <= 260 && origin.test(text))
  const own = ownHost.toLowerCase().replace(/:\d+$/, '')
  return [...new Set(clean)].filter((text) => {
    const host = text.replace(/^\w+:\/\//, '').replace(/:\d+$/, '')
    return host !== own && !(host.startsWith('*.') && own.endsWith(host.slice(1)))
  }).slice(0, mostOrigins)
}

/**
 * Returns the policy of a document from others: an origin of its own, inline scripts, and only the declared addresses of the network.
 * `frame-src` of the page around it keeps it from navigating elsewhere.
 */
export function framePolicy ({ connect, resource, frame, base }: FrameDomains): string {
  const and = (own: string, origins: readonly string[]): string => [own, ...origins].join(' ')
  const orNone = (origins: readonly string[]): string => origins.length === 0 ? "'none'" : origins.join(' ')
  return [
    // Forms are allowed so that a page gets their events; none is ever sent.
    'sandbox allow-scripts allow-forms',
    "default-src 'none'",
    `script-src ${and("'unsafe-inline' 'wasm-unsafe-eval' blob:", resource)}`,
    `style-src ${and("'unsafe-inline'", resource)}`,
    `img-src ${and('data: blob:', resource)}`,
    `media-src ${and('data: blob:', resource)}`,
    `font-src ${and('data:', resource)}`,
    `connect-src ${orNone(connect)}`,
    'worker-src blob:',
    `frame-src ${orNone(frame)}`,
    `base-uri ${orNone(base)}`,
    "form-action 'none'",
    "frame-ancestors 'self'"
  ].join('; ')
}

/**
 * Returns all addresses to which such a document may connect, for browsers that support `Connection-Allowlist`. A content security policy
 * covers neither calls from browser to browser, nor DNS lookups and connections that are made before a navigation is refused.
 */
export function connectionAllowlist ({ connect, resource, frame, base }: FrameDomains): string {
  const declared = [...new Set([...connect, ...resource, ...frame, ...base])].map((origin) => ` "${origin}/*"`)
  return `(response-origin${declared.join('')})`
}
