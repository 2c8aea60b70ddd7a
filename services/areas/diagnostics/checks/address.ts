import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { asError } from '../../../ground/errors.js'
import { hostPortText, type HostPort } from '../../../ground/network/host-port.js'
import { explainListenError } from '../../../ground/network/listen-error.js'
import { inContainer } from '../../../ground/process/container.js'
import { type Check, type Finding, coded, ok, problem, skipped } from '../check.js'

export interface AddressOptions {
  host: string
  port: number
  user: number
  /** The line that starts the service. */
  start: string
  /** Whether the service answers. */
  isService: () => Promise<boolean>
  /** The process that holds the state folder; null if none does. */
  holder: () => number | null
  isContainer?: boolean
}

/**
 * Checks whether the service listens on its address, or could. Binds nothing, so that a service that starts meanwhile finds the address
 * free.
 */
export function addressCheck ({ host, port, user, start, isService, holder, isContainer = inContainer() }: AddressOptions): Check {
  const explain = (code: string): string => asError(explainListenError(Object.assign(new Error(code), { code }), { host, port })).message
  return {
    id: 'address',
    group: 'access',
    title: 'Port',
    async run () {
      if (await isService()) return coded(ok(`The service answers on ${host}, port ${port}.`), 'port_answers', { host, port })
      if (await isTaken(host, port)) return taken()
      if (!isOwn(host)) {
        const reachable = isContainer ? '0.0.0.0' : '127.0.0.1'
        return problem(explain('EADDRNOTAVAIL'), `In the environment of the service:\nSVC_WEBUI_HOST=${reachable}`)
      }
      if (port > 0 && port < 1_024 && user !== 0) return problem(explain('EACCES'), 'In the environment of the service:\nSVC_WEBUI_PORT=8787')
      return skipped(`The service does not run; port ${port} is free.`, `Start it:\n${start}`)
    }
  }

  function taken (): Finding {
    const pid = holder()
    return pid === null
      ? problem(explain('EADDRINUSE'), `See which program it is:\nss -ltnp 'sport = :${port}'`)
      : problem(`The service (process ${pid}) does not answer on ${host}, port ${port}.`, 'Look at its log, and restart it.')
  }
}

async function isTaken (host: string, port: number): Promise<boolean> {
  if (port === 0) return false
  const socket = connect({ host: reachedBy(host), port, timeout: 2_000 })
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true))
      socket.once('error', () => resolve(false))
      socket.once('timeout', () => resolve(false))
    })
  } finally {
    socket.destroy()
  }
}

/** Returns an address of this machine that reaches a service listening on `host`, or on all addresses. */
const reachedBy = (host: string): string => host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host

/** Returns the address at which programs of this machine reach a service. */
export const ownAddress = ({ host, port }: HostPort): string => `http://${hostPortText({ host: reachedBy(host), port })}`

/** Returns whether an address belongs to this machine. True for a name, which may lead anywhere. */
function isOwn (host: string): boolean {
  if (!ipaddr.isValid(host)) return true
  const wanted = ipaddr.process(host)
  if (['unspecified', 'loopback'].includes(wanted.range())) return true
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return own.some(({ address }) => ipaddr.process(address.replace(/%.*$/, '')).toString() === wanted.toString())
}
