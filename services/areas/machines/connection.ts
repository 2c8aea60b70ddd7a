import { Unavailable } from '../../ground/errors.js'
import { type NatsLink, type NatsOptions } from '../../ground/nats/link.js'
import { holdKey, NameTaken, type Lease } from './lease.js'
import { type Presence } from './presence.js'

/** Intervals that tests shorten. */
export interface LinkTiming {
  /** How long the link waits before it retries. */
  retryMs?: number
  /** How often the service renews its key. */
  renewMs?: number
  /** How often a key that another service holds is checked. */
  lookMs?: number
}

export interface ServiceLinkOptions {
  nats: Omit<NatsOptions, 'inbox' | 'name'>
  runsMb: number
  /** The most storage for each machine's large objects in transit. */
  objectsMb: number
  /** Kept in the state folder: a service that starts in the same folder again is the same service. */
  holder: string
  version: string
  presence: Presence
  log: (message: string, details?: Record<string, unknown>) => void
  timing?: LinkTiming
}

/** The key that the service holds under the prefix; no machine can have this name. */
export const serviceKey = '_service'
/** Tells a machine why this service does not work with it. */
export const refusedQuestion = 'refused'
const tryAgainMs = 5_000

/**
 * The service's connection to the NATS server, reopened for as long as the service runs. Nothing of NATS is loaded before `open` is called.
 */
export class ServiceLink {
  readonly #options: ServiceLinkOptions
  readonly #listeners: Array<(link: NatsLink | null) => void> = []
  readonly #objects = new Map<string, Promise<void>>()
  #link: NatsLink | null = null
  #release: (() => Promise<void>) | null = null
  #problem: string | null = 'It is being connected.'
  #logged = ''
  /** Why an open connection cannot be used; null if it can. */
  #trouble: string | null = null
  /** Machines without a bucket, and the reason for each. */
  readonly #bucketless = new Map<string, string>()
  #mending: Promise<void> = Promise.resolve()
  #stopWatching: () => void = () => {}
  #isClosed = false
  #timer: NodeJS.Timeout | null = null
  #opening: Promise<void> = Promise.resolve()

  constructor (options: ServiceLinkOptions) {
    this.#options = options
    options.presence.on('changed', ({ name, state, told, note }) => {
      // A machine that is coming up waits for its bucket.
      if (state === 'ready' || (state === 'away' && told?.comingUp === true)) void this.objectsReady(name)
      // So that the person who started the machine sees the reason there too.
      if (state === 'refused') this.#link?.nc.publish(this.#link.subjects.ask(name, refusedQuestion), JSON.stringify({ note }))
    })
  }

  /** null while there is no usable connection. */
  get current (): NatsLink | null {
    return this.#link
  }

  /** Why machines cannot be reached; null if they can. */
  get problem (): string | null {
    if (this.#link === null) return this.#problem
    return this.#link.isConnected()
      ? this.#trouble ?? this.#bucketless.values().next().value ?? null
      : `${this.#link.trouble() ?? 'The NATS server has been lost.'} It is tried again.`
  }

  /** Throws Unavailable while there is no connection. */
  async link (): Promise<NatsLink> {
    const link = this.#link
    if (link === null || !link.isConnected()) throw new Unavailable(`Other machines cannot be reached: ${this.problem ?? ''}`)
    return link
  }

  /**
   * Calls the listener with each usable connection (at once if one is open), and with null when it is abandoned. A brief interruption
   * triggers neither.
   */
  onLink (listener: (link: NatsLink | null) => void): void {
    this.#listeners.push(listener)
    if (this.#link !== null) listener(this.#link)
  }

  /** Resolves after the first attempt. Never rejects. */
  open (): Promise<void> {
    this.#opening = this.#open()
    return this.#opening
  }

  /** Resolves when a machine's bucket for large objects exists. Logs why if it cannot be made, and retries. */
  async objectsReady (machine: string): Promise<void> {
    const link = this.#link
    if (link === null || this.#objects.has(machine)) return await this.#objects.get(machine)
    const made = (async () => {
      const { setUpObjects } = await import('../../ground/nats/setup.js')
      await setUpObjects(link, machine, this.#options)
      this.#bucketless.delete(machine)
    })().catch(async (error: unknown) => {
      const { log, nats, timing } = this.#options
      const reason = await words(error, nats.urls)
      if (this.#bucketless.get(machine) !== reason) log('a machine has no bucket', { machine, reason })
      this.#bucketless.set(machine, reason)
      if (link.isConnected()) link.nc.publish(link.subjects.ask(machine, refusedQuestion), JSON.stringify({ note: reason }))
      setTimeout(() => {
        this.#objects.delete(machine)
        if (this.#link === link && this.#options.presence.find(machine) !== undefined) void this.objectsReady(machine)
      }, timing?.retryMs ?? tryAgainMs).unref()
    })
    this.#objects.set(machine, made)
    await made
  }

  /** Deletes the large objects in transit to and from a machine that has been forgotten. */
  async dropObjects (machine: string): Promise<void> {
    this.#objects.delete(machine)
    this.#bucketless.delete(machine)
    const link = this.#link
    if (link?.isConnected() !== true) return
    await link.objm.open(link.subjects.objects(machine)).then(async (bucket) => await bucket.destroy()).catch(() => {})
  }

  async close (): Promise<void> {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#opening
    await this.#giveUp(null)
  }

  async #open (): Promise<void> {
    const { nats, runsMb, objectsMb, holder, version, presence, timing, log } = this.#options
    let link: NatsLink | undefined
    let lease: Lease | undefined
    try {
      const { openLink } = await import('../../ground/nats/link.js')
      const { setUp } = await import('../../ground/nats/setup.js')
      const opened = await openLink({ ...nats, inbox: `_INBOX_${nats.prefix}_service_`, name: 'agent-web-service' })
      link = opened
      await setUp(opened, { runsMb, objectsMb })
      const startedAt = Date.now() / 1000
      lease = await holdKey({
        link: opened,
        key: serviceKey,
        holder,
        instance: crypto.randomUUID(),
        describe: async () => ({ version, startedAt }),
        lost: () => { void this.#giveUp(twoServices) },
        log: (message) => {
          log(message)
          void this.#mend(opened)
        },
        renewMs: timing?.renewMs,
        lookMs: timing?.lookMs
      })
      this.#stopWatching = await presence.watch(opened)
      if (this.#isClosed) throw new Error('closed meanwhile')
      const held = lease
      this.#release = async () => {
        this.#stopWatching()
        await held.leave()
        await opened.close().catch(() => {})
      }
      this.#link = opened
      this.#problem = null
      this.#trouble = null
      this.#logged = ''
      opened.onChange((isConnected) => {
        log(isConnected ? 'connected to the NATS server again' : 'the connection to the NATS server is lost; retrying')
        if (isConnected) void this.#mend(opened)
      })
      opened.onTrouble((reason) => log('the NATS server cannot be reached', { reason }))
      log('connected to NATS: other machines can join', { server: opened.nc.getServer() })
      this.#tell()
    } catch (error) {
      await lease?.leave()
      await link?.close().catch(() => {})
      this.#fail(error instanceof NameTaken ? twoServices : await words(error, nats.urls))
    }
  }

  /** A server may come back without its data: recreates what machines need, and retries until that succeeds. */
  #mend (link: NatsLink): Promise<void> {
    this.#mending = this.#mending.then(async () => {
      if (this.#link !== link || !link.isConnected()) return
      const { nats, log, presence, timing } = this.#options
      try {
        const { setUp } = await import('../../ground/nats/setup.js')
        await setUp(link, this.#options)
        this.#stopWatching()
        this.#stopWatching = await presence.watch(link)
        this.#objects.clear()
        await Promise.all(presence.list().filter(({ state }) => state === 'ready').map(async ({ name }) => await this.objectsReady(name)))
        this.#trouble = null
      } catch (error) {
        const trouble = await words(error, nats.urls)
        if (link.isConnected() && this.#trouble !== trouble) log(`no machine can work: ${trouble} Retrying.`)
        this.#trouble = trouble
        setTimeout(() => { void this.#mend(link) }, timing?.retryMs ?? tryAgainMs).unref()
      }
    })
    return this.#mending
  }

  #fail (problem: string): void {
    this.#problem = problem
    if (this.#isClosed) return
    if (this.#logged !== problem) this.#options.log(`no machine can join: ${problem} Retrying.`)
    this.#logged = problem
    this.#timer = setTimeout(() => { void this.open() }, this.#options.timing?.retryMs ?? tryAgainMs).unref()
  }

  /** Drops the connection; with a problem, retries later. */
  async #giveUp (problem: string | null): Promise<void> {
    const release = this.#release
    this.#release = null
    this.#link = null
    this.#objects.clear()
    this.#bucketless.clear()
    if (release !== null) this.#tell()
    await release?.()
    if (problem !== null) this.#fail(problem)
  }

  #tell (): void {
    for (const listener of this.#listeners) listener(this.#link)
  }
}

const twoServices = 'Another service uses this NATS server with the same prefix: give this one another SVC_NATS_PREFIX, or stop that one.'

async function words (error: unknown, urls: string[] = []): Promise<string> {
  const { inWords, shownUrls } = await import('../../ground/nats/trouble.js')
  return inWords(error, shownUrls(urls))
}
