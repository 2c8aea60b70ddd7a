import { lookup, type LookupAddress, type LookupOptions } from 'node:dns'
import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { type Agent as UndiciAgent, type buildConnector, type Dispatcher } from 'undici'
import { asError } from '../errors.js'
import { connectToProxy, openTunnel, proxyAuthorization } from '../proxy/tunnel.js'
import { type Proxy, type Routes } from '../proxy/routes.js'
import { ProxyTrouble } from '../proxy/trouble.js'
import { outgoingRoutes } from '../proxy/outgoing.js'
import { addressesOf } from './resolved-addresses.js'
import { timeLimit } from '../time/time-limit.js'
import { unreachedBy } from './unreached.js'

/** Where connections may lead. */
export interface Guard {
  /** Which IP addresses may be connected to. */
  allowAddress: (address: string) => boolean
  /** Which names that this machine cannot resolve a proxy may be given. By default those that are not obviously internal. */
  allowName?: (name: string) => boolean
  /** Names that no third party can redirect: a proxy gets them unchecked. */
  isFixed?: (name: string) => boolean
  /** Returns the error for a destination that is not permitted. */
  refuse: (host: string, address: string) => Error
  /** Looks up names; by default with the system's resolver. */
  resolve?: typeof lookup
}

type Connector = ReturnType<typeof buildConnector>
type Connection = Parameters<Connector>[0]
type AnswerStart = NonNullable<Dispatcher.DispatchHandler['onResponseStart']>
/** What undici's types leave out of its DecoratorHandler. */
type AnswerHandler = new (handler: Dispatcher.DispatchHandler) => { onResponseStart (...args: Parameters<AnswerStart>): void }

const timeoutMs = 10_000
const internalName = /^[^.]*$|(?:^|\.)(?:local|localdomain|localhost|internal|intranet|private|corp|home|lan|arpa)$/
/**
 * A name that did not resolve here is not looked up again for this long: where a proxy resolves names, name servers often do not even
 * answer.
 */
const unresolvedMs = 60_000
const mostUnresolved = 256
const unresolved = new Set<string>()

/** Whether a name may lead out of the machine's own networks, judged by the name alone. */
export const isOutsideName = (name: string): boolean => !internalName.test(name.toLowerCase().replace(/\.$/, ''))

/**
 * Returns a connector for an undici Agent that connects only to permitted addresses. The check happens when the connection is made, so the
 * address that was checked is the one that is used, whatever a name server answers a moment later. A proxy resolves names itself, so a name
 * is checked before the proxy gets it: by the addresses that it has here, or by the name alone if it does not resolve here.
 */
export async function guardedConnector (guard: Guard, routes: Routes = outgoingRoutes()): Promise<Connector> {
  const { default: { buildConnector } } = await import('undici')
  const { allowAddress, refuse } = guard
  const connect = buildConnector({ timeout: timeoutMs, lookup: guardedLookup(guard) } as Parameters<typeof buildConnector>[0])
  const secure = buildConnector({ timeout: timeoutMs })
  return (options, done) => {
    // A literal address is never looked up, so it is judged here.
    const host = options.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && !allowAddress(host)) { done(refuse(host, host), null); return }
    let proxy: Proxy | null
    try {
      proxy = routes.proxyFor(new URL(`${options.protocol}//${options.host ?? options.hostname}`))
    } catch (error) {
      done(asError(error), null)
      return
    }
    if (proxy === null) { connect(options, done); return }
    throughProxy(proxy, host, options, guard).then((socket) => {
      if (options.protocol !== 'https:') { done(null, socket); return }
      secure({ ...options, httpSocket: socket }, (...[error, secured]) => {
        if (error === null) done(null, secured)
        else done(isCertificate(error) ? new ProxyTrouble('certificate', proxy.shown, null, { cause: error }) : error, null)
      })
    }, (error: unknown) => done(asError(error), null))
  }
}

/**
 * Opens a connection for any protocol to a permitted address, through a proxy if TLS servers are reached that way. Rejects with the error
 * of `refuse`, with ProxyTrouble, or with the system's error.
 */
export async function guardedTunnel (
  target: { host: string, port: number }, guard: Guard, routes: Routes = outgoingRoutes()
): Promise<Socket> {
  const { host, port } = target
  if (isIP(host) !== 0 && !guard.allowAddress(host)) throw guard.refuse(host, host)
  const proxy = routes.proxyFor(new URL(`https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`))
  if (proxy !== null) {
    await assertAllowed(host, guard)
    return await openTunnel(proxy, target)
  }
  const socket = connectTcp({ host, port, lookup: guardedLookup(guard), noDelay: true, allowHalfOpen: true })
  const limit = timeLimit(timeoutMs)
  try {
    await once(socket, 'connect', { signal: limit.signal })
    return socket
  } catch (error) {
    socket.on('error', () => {}).destroy()
    throw limit.signal.aborted ? Object.assign(new Error('No connection in time', { cause: error }), { code: 'ETIMEDOUT' }) : error
  } finally {
    limit.clear()
  }
}

/** Returns an undici Agent whose connections are guarded, and use a proxy if the current settings say so. */
export async function outgoingAgent (
  guard: Guard, options: UndiciAgent.Options = {}, routes: Routes = outgoingRoutes()
): Promise<Dispatcher> {
  const { default: { Agent, DecoratorHandler } } = await import('undici')
  const agent = new Agent({ ...options, connect: await guardedConnector(guard, routes) })
  if (routes.proxies.length === 0) return agent
  /** Handles the answer to a request that was sent to the proxy as a whole. The answer may be the proxy's own. */
  class ProxiedAnswer extends (DecoratorHandler as unknown as AnswerHandler) {
    constructor (handler: Dispatcher.DispatchHandler, private readonly proxy: Proxy) { super(handler) }

    override onResponseStart (...args: Parameters<AnswerStart>): void {
      if (args[1] === 407) throw new ProxyTrouble('login', this.proxy.shown, 407)
      super.onResponseStart(...args)
    }
  }
  return agent.compose((dispatch) => (asked, handler) => {
    const url = new URL(String(asked.origin))
    const proxy = url.protocol === 'http:' ? routes.proxyFor(url) : null
    if (proxy?.kind !== 'http') return dispatch(asked, handler)
    // RFC 9112, section 3.2.2.
    return dispatch({
      ...asked, path: `${url.origin}${asked.path}`, headers: withHeaders(asked.headers, proxyAuthorization(proxy))
    }, new ProxiedAnswer(handler, proxy))
  })
}

/** Keeps one agent for as long as the settings stay the same. A new one replaces it then, while requests of the old one finish. */
export function createOutgoing (guard: Guard, options?: UndiciAgent.Options) {
  let current: { routes: Routes, agent: Promise<Dispatcher> } | null = null
  return {
    async agent (): Promise<Dispatcher> {
      const routes = outgoingRoutes()
      if (current?.routes === routes) return await current.agent
      const before = current
      const opening = current = { routes, agent: outgoingAgent(guard, options, routes) }
      opening.agent.catch(() => { if (current === opening) current = null })
      void before?.agent.then(async (agent) => await agent.close()).catch(() => {})
      return await opening.agent
    },
    async destroy (): Promise<void> {
      await (await current?.agent)?.destroy()
    }
  }
}

function guardedLookup ({ allowAddress, refuse, resolve = lookup }: Guard) {
  return (
    host: string, options: LookupOptions, done: (error: Error | null, address: string | LookupAddress[], family?: number) => void
  ): void => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) { done(error, ''); return }
      const forbidden = addresses.find(({ address }) => !allowAddress(address))
      const first = addresses[0]
      if (forbidden !== undefined || first === undefined) done(refuse(host, forbidden?.address ?? host), '')
      else if (options.all === true) done(null, addresses)
      else done(null, first.address, first.family)
    })
  }
}

async function throughProxy (proxy: Proxy, host: string, { protocol, port }: Connection, guard: Guard): Promise<Socket> {
  await assertAllowed(host, guard)
  // Many proxies open tunnels only for TLS.
  if (protocol !== 'https:' && proxy.kind === 'http') return await connectToProxy(proxy)
  return await openTunnel(proxy, { host, port: Number(port) || (protocol === 'https:' ? 443 : 80) })
}

/** Throws the error of `refuse` for a name that must not be reached through a proxy either. */
async function assertAllowed (host: string, { allowAddress, allowName = isOutsideName, isFixed, refuse, resolve }: Guard): Promise<void> {
  if (isIP(host) !== 0 || isFixed?.(host) === true) return
  const found = unresolved.has(host) ? [] : await addressesOf(new URL(`http://${host}`), resolve === undefined ? undefined : looking(resolve))
  const forbidden = found.find((address) => !allowAddress(address))
  if (forbidden !== undefined) throw refuse(host, forbidden)
  if (found.length > 0) return
  if (unresolved.size < mostUnresolved && !unresolved.has(host)) {
    unresolved.add(host)
    setTimeout(() => unresolved.delete(host), unresolvedMs).unref()
  }
  if (!allowName(host)) throw refuse(host, host)
}

const looking = (resolve: typeof lookup) => async (host: string): Promise<LookupAddress[]> => await new Promise((_resolve, _reject) => {
  resolve(host, { all: true }, (error, found) => error === null ? _resolve(found) : _reject(error))
})

const isCertificate = (error: Error): boolean => unreachedBy(error)?.cause === 'certificate'

/** Adds headers to those of a request, in any of the forms that undici accepts. */
function withHeaders (headers: Dispatcher.DispatchOptions['headers'], more: Record<string, string>): Dispatcher.DispatchOptions['headers'] {
  if (Object.keys(more).length === 0) return headers
  if (Array.isArray(headers)) return [...headers, ...Object.entries(more).flat()]
  const entries = headers === null || headers === undefined ? [] : Symbol.iterator in headers ? [...headers] : Object.entries(headers)
  return Object.fromEntries([...entries, ...Object.entries(more)])
}
