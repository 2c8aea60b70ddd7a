import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ServerProcess } from '../../../test/support/server.js'
import { call } from '../../wire.js'
import { type Arena } from '../arena.js'
import { type Client } from '../client.js'
import { type AcceptedTurn } from '../ledger.js'
import { type HttpPeers } from './http-peers.js'

/** What the trials with peers work on. */
export interface Site {
  arena: Arena
  service: ServerProcess
  client: Client
  http: HttpPeers
}

/** Writes the config.yaml of the profile; JSON is YAML. */
export function configure (arena: Arena, config: Record<string, unknown>): void {
  const file = join(arena.folder, 'home', 'config.yaml')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(config))
}

const atOnce = 8

/** Runs a few at once, because every turn and program needs CPU time. */
export async function inBatches<T> (all: readonly T[], act: (batch: T[]) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < all.length; at += atOnce) await act(all.slice(at, at + atOnce))
}

/** How a turn ended: by itself within the limit, by a cancel, or not at all. */
export interface Ended { how: 'itself' | 'cancelled' | 'never', event: string | undefined, message: string }

const cancelLimitMs = 15_000

/** Runs a turn that ends by itself within the limit, or is cancelled. */
export async function limitedTurn ({ client }: Site, message: string, limitMs: number, model?: string): Promise<Ended> {
  let started: AcceptedTurn | undefined
  const sessionId = await client.newSession()
  const over = client.turn(sessionId, message, {
    ...(model !== undefined && { model }), async meanwhile (turn) { started = turn }
  }).then(() => true, () => false)
  const ended = (how: Ended['how']): Ended => {
    const last = started?.received.at(-1)
    const { message: words } = last === undefined ? { message: '' } : JSON.parse(last.data) as { message?: string }
    return { how, event: last?.event, message: String(words ?? '') }
  }
  if (await Promise.race([over, delay(limitMs, false, { ref: false })])) return ended('itself')
  if (started !== undefined) await client.cancel(started)
  return ended(await Promise.race([over, delay(cancelLimitMs, false, { ref: false })]) ? 'cancelled' : 'never')
}

/** Whether an error is readable, and reveals nothing of the server. */
export const isInWords = (message: string): boolean => message.trim() !== '' && message.length < 4_000 && !/\n\s+at .*:\d+|\/tmp\//.test(message)

export async function eventually (holds: () => Promise<boolean> | boolean, limitMs: number): Promise<boolean> {
  const untilMs = performance.now() + limitMs
  while (performance.now() < untilMs) {
    if (await holds()) return true
    await delay(100)
  }
  return false
}

export const get = async ({ service }: Site, path: string): ReturnType<typeof call> => await call(service.url + path)
export const post = async ({ service }: Site, path: string, body: unknown): ReturnType<typeof call> => await call(service.url + path, 'POST', body)
export const remove = async ({ service }: Site, path: string, body: unknown): ReturnType<typeof call> => await call(service.url + path, 'DELETE', body)
