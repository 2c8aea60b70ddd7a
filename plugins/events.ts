import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { createBroker, createJournal, heard, type EventBroker, type Journal, type Published, type Subscription } from '../services/ground/events/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    events: EventBroker & Published & { journal: Journal }
    eventStreams: EventStreams
  }
}

/** Server-Sent Events of this process. */
export interface EventStreams {
  /** Answers a request with a subscription, until either side ends it. */
  send (request: FastifyRequest, reply: FastifyReply, subscription: Subscription, options: SendEventsOptions): void
  /** How many there are. */
  open (): number
  /** Ends all of them with a farewell, and those that are still to come. */
  end (): void
}

export interface SendEventsOptions {
  /** Text of the comment that keeps an idle connection alive. */
  keepalive: 'heartbeat' | 'keepalive'
  /** Told once when the connection is over, with the position that was reached. */
  closed?: (position: number) => void
}

interface Connection { lastWriteMs: number, lastCheckMs: number, blockedSinceMs: number | null, tick (nowMs: number): void, farewell (): void }

const keepaliveMs = 5_000
/** Every connection is looked after once in this time; never all of them at once. */
const sweepMs = 1_000
const sweepSlices = 20
const admissionCheckMs = 5_000
/** One write to a socket; what follows waits until it has drained. */
const chunkBytes = 64 * 1024
/** A reader that takes nothing for this long is cut off; it resumes by id. */
const stalledMs = 60_000
const pruneEveryMs = 60 * 60 * 1_000

export default fp(async (app: FastifyInstance) => {
  const journal = createJournal(app.db)
  const slices = Array.from({ length: sweepSlices }, () => new Set<Connection>())
  let opened = 0
  let stopping = false

  app.decorate('events', Object.assign(heard(createBroker({ db: app.db, journal })), { journal }))
  const open = (): number => slices.reduce((sum, slice) => sum + slice.size, 0)

  const send: EventStreams['send'] = (request, reply, subscription, options) => {
    reply.hijack()
    const { raw } = reply
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value)
    raw.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache', 'X-Accel-Buffering': 'no' })
    raw.flushHeaders()
    raw.socket?.setNoDelay(true)

    const slice = slices[opened++ % sweepSlices]!
    const connection: Connection = {
      lastWriteMs: performance.now(),
      lastCheckMs: performance.now(),
      blockedSinceMs: null,
      tick (nowMs) {
        if (raw.destroyed) return close()
        if (nowMs - connection.lastCheckMs >= admissionCheckMs) {
          connection.lastCheckMs = nowMs
          if (!request.isStillAdmitted()) {
            request.log.info('event stream ended: the session that opened it is over')
            raw.destroy()
            return close()
          }
        }
        if (connection.blockedSinceMs !== null) {
          if (nowMs - connection.blockedSinceMs >= stalledMs) {
            request.log.info({ position: subscription.position }, 'slow reader cut off')
            raw.destroy()
          }
          return
        }
        if (!raw.writableEnded && nowMs - connection.lastWriteMs >= keepaliveMs - sweepMs / 2) write([Buffer.from(`: ${options.keepalive}\n\n`)])
      },
      farewell () {
        raw.end(': the server is shutting down\nretry: 2000\n\n')
        close()
      }
    }

    function write (chunks: Buffer[]): void {
      const flowing = raw.write(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
      connection.lastWriteMs = performance.now()
      if (flowing) return
      connection.blockedSinceMs = connection.lastWriteMs
      raw.once('drain', () => {
        connection.blockedSinceMs = null
        pump()
      })
    }

    function pump (): void {
      while (connection.blockedSinceMs === null && !raw.destroyed) {
        const chunks = subscription.read(chunkBytes)
        if (chunks.length === 0) break
        write(chunks)
      }
      if (subscription.ended && !raw.writableEnded) raw.end()
    }

    function close (): void {
      if (!slice.delete(connection)) return
      subscription.close()
      options.closed?.(subscription.position)
    }

    slice.add(connection)
    raw.on('close', close)
    raw.on('error', () => raw.destroy())
    subscription.onReadable(pump)
    pump()
    if (stopping) connection.farewell()
  }

  let nextSlice = 0
  const sweep = setInterval(() => {
    const now = performance.now()
    for (const connection of [...slices[nextSlice++ % sweepSlices]!]) connection.tick(now)
  }, sweepMs / sweepSlices)
  sweep.unref()
  const prune = () => {
    try {
      const emptied = journal.prune(app.clock.now() / 1000, app.config.journal)
      if (emptied > 0) app.log.info({ streams: emptied }, 'journals of old streams given up')
    } catch (error) {
      app.log.error({ err: error }, 'old journals could not be given up; trying again in an hour')
    }
  }
  const pruning = setInterval(prune, pruneEveryMs)
  pruning.unref()
  app.addHook('onReady', async () => prune())

  app.addHook('onClose', async () => {
    clearInterval(sweep)
    clearInterval(pruning)
  })

  app.decorate('eventStreams', {
    send,
    open,
    end () {
      stopping = true
      for (const slice of slices) for (const connection of [...slice]) connection.farewell()
    }
  })
}, { name: 'events', dependencies: ['config', 'database', 'auth'] })
