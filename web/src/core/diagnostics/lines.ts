import { type Fix } from './judge.js'

/** Configuration lines for one program. */
export interface Lines { program: 'nginx' | 'Caddy' | 'Traefik' | 'environment', text: string }

const forProxies = (nginx: string, caddy: string, traefik: string): Lines[] => [
  { program: 'nginx', text: nginx }, { program: 'Caddy', text: caddy }, { program: 'Traefik', text: traefik }
]
const environment = (text: string): Lines[] => [{ program: 'environment', text }]

/** The lines of each fix, the same in every language. Those for nginx go into `location`, those for Caddy into `reverse_proxy`. */
const lines: Record<Fix, (value: string) => Lines[]> = {
  reach: () => [],
  tls: () => [],
  clock: () => [],
  buffering: () => forProxies(
    'proxy_http_version 1.1;\nproxy_set_header Connection "";\nproxy_buffering off;', 'flush_interval -1',
    '# remove the middleware `buffering` from the router'
  ),
  compression: () => forProxies(
    'gzip off;', '# remove `encode` from the site', 'compress:\n  excludedContentTypes: [text/event-stream]'
  ),
  timeout: () => forProxies(
    'proxy_read_timeout 1h;\nproxy_send_timeout 1h;', 'transport http {\n  read_timeout 0\n  write_timeout 0\n}',
    '--entryPoints.websecure.transport.respondingTimeouts.writeTimeout=0'
  ),
  lastId: () => forProxies(
    'proxy_set_header Last-Event-ID $http_last_event_id;', 'header_up Last-Event-ID {header.Last-Event-ID}',
    '# remove Last-Event-ID from customRequestHeaders of the middleware `headers`'
  ),
  proto: () => forProxies(
    'proxy_set_header X-Forwarded-Proto $scheme;', 'header_up X-Forwarded-Proto {scheme}',
    '# set by itself; behind another proxy:\n--entryPoints.websecure.forwardedHeaders.trustedIPs=<address of that proxy>'
  ),
  host: () => forProxies(
    'proxy_set_header Host $http_host;\nproxy_set_header X-Forwarded-Host $http_host;', 'header_up Host {hostport}',
    'loadBalancer:\n  passHostHeader: true'
  ),
  forwardedFor: () => forProxies(
    'proxy_set_header X-Forwarded-For $remote_addr;', 'header_up X-Forwarded-For {remote_host}',
    '--entryPoints.websecure.forwardedHeaders.insecure=false'
  ),
  trust: (peer) => environment(`SVC_WEBUI_TRUSTED_PROXIES=${peer}`),
  secure: () => environment('SVC_WEBUI_SECURE=0'),
  upload: (mib) => forProxies(
    `client_max_body_size ${mib}m;`, `# in the site:\nrequest_body {\n  max_size ${mib}MB\n}`, '# remove maxRequestBodyBytes from the middleware `buffering`'
  )
}

export const linesOf = (fix: Fix, value: string): Lines[] => lines[fix](value)
