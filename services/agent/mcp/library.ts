import type * as Client from '@modelcontextprotocol/client'
import { setImmediate as othersTurn } from 'node:timers/promises'

type Library = typeof Client

/**
 * Loads the client of the protocol. What its schemas are made with comes first, and then others have a turn: all of it at once held up the
 * event loop for more than a tenth of a second, the first time.
 */
export async function mcpLibrary (): Promise<Library> {
  await import('zod')
  await othersTurn()
  return await import('@modelcontextprotocol/client')
}
