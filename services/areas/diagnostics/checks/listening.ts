import ipaddr from 'ipaddr.js'
import { hostPortText } from '../../../ground/network/host-port.js'
import { inContainer } from '../../../ground/process/container.js'
import { type Check, type Finding, coded, ok, problem, skipped, warning } from '../check.js'

export interface ListeningOptions {
  host: string
  port: number
  /** Whether only this machine can reach the address. */
  isLoopback: boolean
  trustedProxies: readonly string[]
  /** Whether sign-in is needed; null if only the running service knows. */
  isGated: () => boolean | null
  isContainer?: boolean
}

const setPassword = 'Set a password under Settings → Sign-in, or in the environment of the service:\nSVC_WEBUI_PASSWORD_FILE=/etc/agent-web-service/password'

/** Who can reach the service, over which protocol, and whether sign-in is needed. */
export function listeningCheck (options: ListeningOptions): Check {
  const { host, port, isLoopback, trustedProxies, isGated: gate, isContainer = inContainer() } = options
  return {
    id: 'access',
    group: 'access',
    title: 'Address and sign-in',
    run () {
      const found: Finding[] = []
      const isGated = gate()
      const all = trustedProxies.find(isEverybody)
      if (all !== undefined) {
        found.push(problem(
          `SVC_WEBUI_TRUSTED_PROXIES contains ${all}: any client can claim any address and protocol.`,
          'Name only the proxy:\nSVC_WEBUI_TRUSTED_PROXIES=loopback'
        ))
      }
      if (isGated === false && trustedProxies.length > 0) {
        found.push(problem(
          'No sign-in is needed although a reverse proxy is configured: anyone who can reach the proxy can use the service.',
          setPassword, 'sign_in_missing_proxy'
        ))
      } else if (isGated === false && !isLoopback) {
        found.push(problem('No sign-in is needed: anyone who can reach this address can use the service.', setPassword, 'sign_in_missing'))
      }
      if (!isLoopback && trustedProxies.length === 0) {
        found.push(isContainer ? published(port) : inPlain(host, port))
      }
      if (found.length > 0) return found
      if (isGated === null) return skipped(`Address ${host}, port ${port}. Only the running service knows whether sign-in is needed.`)
      if (!isGated) return coded(ok('Only this machine can reach the service, and no sign-in is needed.'), 'sign_in_local')
      const [proxy, code] = trustedProxies.length > 0 ? [', behind a trusted proxy', 'sign_in_needed_proxy'] as const : ['', 'sign_in_needed'] as const
      return coded(ok(`Sign-in is needed; the service listens on ${host}, port ${port}${proxy}.`), code, { host, port })
    }
  }
}

const inPlain = (host: string, port: number): Finding => ({
  ...warning(
    'Other machines reach the service in plain HTTP: passwords and conversations can be read on the way.',
    'Put a reverse proxy with TLS in front and name its address (docs/reverse-proxy.md):\n' +
    'SVC_WEBUI_HOST=127.0.0.1\nSVC_WEBUI_TRUSTED_PROXIES=loopback', 'traffic_open'
  ),
  about: hostPortText({ host, port })
})

/** In a container, the service has to listen on all addresses of the container. */
const published = (port: number): Finding => skipped(
  `The service runs in a container: who can reach port ${port} depends on how it is published.`,
  `To let only the machine of the container and a proxy on it reach the port, in docker-compose.yml:\nports: ["127.0.0.1:${port}:${port}"]`
)

/** Returns whether a network holds half of all addresses or more. */
function isEverybody (network: string): boolean {
  return ipaddr.isValidCIDR(network) && ipaddr.parseCIDR(network)[1] <= 1
}
