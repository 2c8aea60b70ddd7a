import { setTimeout as delay } from 'node:timers/promises'
import { type ServerProcess } from '../../test/support/server.js'
import { call, type Answer } from '../wire.js'
import { type Arena, type ServiceOptions } from './arena.js'

const lookEveryMs = 40

/** A service that is killed repeatedly, alone or with its agent process, and started again on the same folder. */
export interface Mortal {
  /** Returns the running service. */
  service (): ServerProcess
  /** Sends a request to the running service; null: it was gone before it answered, so nothing was promised. */
  ask (path: string, body?: unknown): Promise<Answer | null>
  /** Sends a request, and counts an answer other than 200 as wrong unless it is one of `refusals`; null: nothing was promised. */
  need (path: string, body: unknown, refusals?: readonly number[]): Promise<Answer['body'] | null>
  /**
   * Kills the service with kill -9 and starts it again; `meanwhile` runs while it is down. `whole`: its agent process too;
   * decided by chance by default.
   */
  kill (options?: { whole?: boolean, meanwhile?: () => unknown }): Promise<void>
  stop (): Promise<void>
}

export async function createMortal (arena: Arena, options: ServiceOptions = {}): Promise<Mortal> {
  const { tally, random } = arena
  let service = await arena.ready(options)
  async function ask (path: string, body?: unknown): Promise<Answer | null> {
    return await call(service.url + path, body === undefined ? 'GET' : 'POST', body).catch(() => null)
  }
  return {
    service: () => service,
    ask,
    async need (path, body, refusals = []) {
      const answer = await ask(path, body)
      if (answer === null || answer.status === 200) return answer?.body ?? null
      if (!refusals.includes(answer.status)) tally.wrong(`${path} is answered ${answer.status}: ${JSON.stringify(answer.body).slice(0, 300)}`)
      return null
    },
    async kill ({ whole = random.chance(0.5), meanwhile } = {}) {
      await (whole ? service.crash() : service.end('SIGKILL'))
      tally.tried('kills')
      await meanwhile?.()
      service = await arena.ready(options)
    },
    stop: async () => await arena.stop(service)
  }
}

/** Polls until there is a result; null if there was none within the limit. */
export async function inTime<T> (look: () => Promise<T | false | null | undefined>, limitMs: number): Promise<T | null> {
  const untilMs = performance.now() + limitMs
  do {
    const seen = await look()
    if (seen !== false && seen !== null && seen !== undefined) return seen
    await delay(lookEveryMs)
  } while (performance.now() < untilMs)
  return null
}
