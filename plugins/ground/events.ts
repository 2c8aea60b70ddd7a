import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type ServerResponse } from 'node:http'
import {
  createBroker, createJournal, createReaderPresence, createRetention, withListeners, type EventBroker, type Journal, type Published,
  type Subscription
} from '../../services/ground/events/index.js'
import { present } from '../../services/ground/present.js'
import { writeChunk } from './one-chunk.js'
import { regularly } from './regularly.js'

declare module 'fastify' {
  interface FastifyInstance {
    events: EventBroker & Published & { journal: Journal }
    eventStreams: EventStreams
  }
}

/** Server-Sent Events of this process. */
interface EventStreams {
  /** Answers a request with a subscription, until either side ends it. */
  send (request: FastifyRequest, reply: FastifyReply, subscription: Subscription, options: SendEventsOptions): void
  /** Ends the streams of devices whose access was revoked. */
  endOf (deviceIds: readonly string[]): void
  /** Returns how many streams are open. */
  open (): number
  /** Returns for each route how many of its streams are open, and how many were opened since the start. */
  byRoute (): ReadonlyMap<string, { open: number, opened: number }>
  /** Calls `listener` when the first stream opens, and a while after the last has ended, since a page that is reloaded comes back. */
  onSomebodyThere (listener: (is: boolean) => void): void
  /** Ends all streams with a farewell, including those that are opened later. */
  end (): void
}

interface SendEventsOptions {
  /** Text of the comment that keeps an idle connection alive. */
  keepalive: 'heartbeat' | 'keepalive'
  /** Called once when the connection is over, with the position that was reached. */
  closed?: (position: number) => void
}

/** The connection of a reader. */
interface Connection {
  /** Checks whether it is still admitted, still reads, or has to be kept alive. */
  tick (nowMs: number): void
  /** Ends the connection in an orderly way. */
  farewell (): void
  /** The device that opened it, if any. */
  readonly deviceId: string | undefined
  /** Closes the connection at once. */
  cut (): void
}

const keepaliveMs = 5_000
/** Every connection is checked once in this time, but never all of them at once. */
const sweepMs = 1_000
const sweepSlices = 20
const admissionCheckMs = 5_000
/** Size of one write to a socket; the next one waits until it has drained. */
const chunkBytes = 64 * 1024
/** A reader that takes nothing for this long is disconnected; it resumes by id. */
const stalledMs = 60_000
/** How long after the last stream a reader may come back without counting as away. */
const awayAfterMs = 10_000
const pruneEveryMs = 60 * 60 * 1_000

export default fp(async (app: FastifyInstance) => {
  const journal = createJournal(app.db, { handingBack: ['pending_steer_leftover'] })
  app.decorate('events', Object.assign(withListeners(createBroker({ db: app.db, journal })), { journal }))
  keepSmall(app)
  const streams = createStreams(app)
  app.decorate('eventStreams', streams)
  app.auth.devices.on('revoked', streams.endOf)
}, { name: 'events', dependencies: ['config', 'database', 'auth'] })

/** Deletes the journals of old streams, now and every hour. */
function keepSmall (app: FastifyInstance): void {
  const retention = createRetention(app.db)
  const stopping = new AbortController()
  app.addHook('preClose', async () => stopping.abort())
  regularly(app, pruneEveryMs, 'old journals could not be deleted; retrying in an hour', async () => {
    const emptied = await retention.prune(app.clock.now() / 1000, app.config.journal, stopping.signal).catch((error: unknown) => {
      if (stopping.signal.aborted) return 0
      throw error
    })
    if (emptied > 0) app.log.info({ streams: emptied }, 'deleted the journals of old streams')
  })
}

/** Holds the connections of all readers, in slices that are checked one at a time. */
function createStreams (app: FastifyInstance): EventStreams {
  const slices = Array.from({ length: sweepSlices }, () => new Set<Connection>())
  const presence = createReaderPresence(awayAfterMs)
  const byRoute = new Map<string, { open: number, opened: number }>()
  let opened = 0
  let stopping = false
  let nextSlice = 0
  const sliceAt = (number: number): Set<Connection> => present(slices[number % sweepSlices], 'a slice')

  const sweep = setInterval(() => {
    const nowMs = performance.now()
    for (const connection of [...sliceAt(nextSlice++)]) connection.tick(nowMs)
  }, sweepMs / sweepSlices)
  sweep.unref()
  app.addHook('onClose', async () => {
    clearInterval(sweep)
    presence.stop()
  })

  /** Counts a stream as open. Returns the function that counts its end. */
  function come ({ routeOptions: { url = '' } }: FastifyRequest): () => void {
    const count = byRoute.get(url) ?? { open: 0, opened: 0 }
    byRoute.set(url, count)
    count.open++
    count.opened++
    presence.come()
    return () => {
      count.open--
      presence.leave()
    }
  }

  return {
    send (request, reply, subscription, options) {
      beginEvents(reply)
      const connection = connect(request, reply.raw, subscription, options, sliceAt(opened++), come(request))
      if (stopping) connection.farewell()
    },
    endOf (deviceIds) {
      for (const slice of slices) {
        for (const connection of [...slice]) {
          if (connection.deviceId !== undefined &&
        deviceIds.includes(connection.deviceId)) connection.cut()
        }
      }
    },
    onSomebodyThere: presence.listen,
    open: () => slices.reduce((sum, slice) => sum + slice.size, 0),
    byRoute: () => byRoute,
    end () {
      stopping = true
      for (const slice of slices) for (const connection of [...slice]) connection.farewell()
    }
  }
}

/** Sends the headers. From here on the stream writes to the socket, not Fastify. */
export function beginEvents (reply: FastifyReply, type = 'text/event-stream'): void {
  reply.hijack()
  const { raw } = reply
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value)
  raw.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-cache', 'X-Accel-Buffering': 'no' })
  raw.flushHeaders()
  raw.socket?.setNoDelay(true)
}

/** Sends the events of a subscription at the pace of the socket, and stays in `slice` until either side ends it. */
function connect (
  request: FastifyRequest, raw: ServerResponse, subscription: Subscription, { keepalive, closed }: SendEventsOptions,
  slice: Set<Connection>, left: () => void
): Connection {
  const comment = Buffer.from(`: ${keepalive}\n\n`)
  let lastWriteMs = performance.now()
  let lastCheckMs = lastWriteMs
  let isSilent = true
  let blockedSinceMs: number | null = null

  function write (chunks: Buffer[]): void {
    isSilent = false
    const flowing = writeChunk(raw, chunks, drained)
    lastWriteMs = performance.now()
    if (!flowing) blockedSinceMs = lastWriteMs
  }

  function drained (): void {
    blockedSinceMs = null
    pump()
  }

  function pump (): void {
    while (blockedSinceMs === null && !raw.destroyed && !raw.writableEnded) {
      const chunks = subscription.read(chunkBytes)
      if (chunks.length === 0) break
      write(chunks)
    }
    if (subscription.ended && !raw.writableEnded) raw.end()
  }

  function close (): void {
    if (!slice.delete(connection)) return
    subscription.close()
    left()
    closed?.(subscription.position)
  }

  /** Whether the reader is still admitted; checked every few seconds. */
  function isAdmitted (nowMs: number): boolean {
    if (nowMs - lastCheckMs < admissionCheckMs) return true
    lastCheckMs = nowMs
    return request.isStillAdmitted()
  }

  const connection: Connection = {
    tick (nowMs) {
      if (raw.destroyed) return close()
      if (!isAdmitted(nowMs)) return connection.cut()
      if (blockedSinceMs !== null) {
        if (nowMs - blockedSinceMs < stalledMs) return
        request.log.info({ position: subscription.position }, 'disconnected a slow reader')
        raw.destroy()
        return
      }
      if (!raw.writableEnded && nowMs - lastWriteMs >= keepaliveMs - sweepMs / 2) write([comment])
    },
    deviceId: request.operator?.deviceId,
    cut () {
      request.log.info('ended an event stream: its session or token is no longer valid')
      raw.destroy()
      close()
    },
    farewell () {
      raw.end(': the server is shutting down\nretry: 2000\n\n')
      close()
    }
  }

  slice.add(connection)
  raw.on('close', close)
  raw.on('error', () => raw.destroy())
  subscription.onReadable(pump)
  pump()
  // Firefox treats a stream as open only after its first byte: a stream without events would seem to be lost until then.
  if (isSilent && !raw.writableEnded) write([comment])
  return connection
}
