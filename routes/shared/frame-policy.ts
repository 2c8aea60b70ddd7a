/** Origins that a view declares it wants to reach (`_meta.ui.csp` of the MCP Apps extension), in the form that a policy uses. */
export interface FrameDomains {
  connect: readonly string[]
  resource: readonly string[]
  frame: readonly string[]
  base: readonly string[]
}

const mostOrigins = 30
/** Matches an origin, perhaps of all hosts of a domain: encrypted only, a name with a dot in it, and nothing after the port. */
const origin = /^(?:https|wss):\/\/(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9](?::\d{1,5})?$/

/**
 * Returns the origins of a list that a policy may name: never an address of this service, and nothing that could be read as
 * another directive.
 */
export function namedOrigins (wanted: readonly string[], ownHost: string): string[] {
  const clean = wanted.map((text) => text.trim().toLowerCase().replace(/\/$/, '')).filter((text) => text.length <= 260 && origin.test(text))
  const own = ownHost.toLowerCase().replace(/:\d+$/, '')
  return [...new Set(clean)].filter((text) => {
    const host = text.replace(/^\w+:\/\//, '').replace(/:\d+$/, '')
    return host !== own && !(host.startsWith('*.') && own.endsWith(host.slice(1)))
  }).slice(0, mostOrigins)
}

/**
 * Returns the policy for a document that others have written: its own origin, inline scripts, and only those network addresses that were
 * declared. The `frame-src` of the page around it keeps it from navigating elsewhere by itself.
 */
export function framePolicy ({ connect, resource, frame, base }: FrameDomains): string {
  const and = (own: string, origins: readonly string[]): string => [own, ...origins].join(' ')
  const orNone = (origins: readonly string[]): string => origins.length === 0 ? "'none'" : origins.join(' ')
  return [
    // Forms are allowed so that a page gets their submit event; none is ever sent.
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
 * Returns what such a document may connect to at all, for browsers that support `Connection-Allowlist`: a content security policy covers
 * neither peer-to-peer connections nor DNS lookups, nor the connections that are opened before a navigation is refused.
 */
export function connectionAllowlist ({ connect, resource, frame, base }: FrameDomains): string {
  const declared = [...new Set([...connect, ...resource, ...frame, ...base])].map((origin) => ` "${origin}/*"`)
  return `(response-origin${declared.join('')})`
}
