import type * as Client from '@modelcontextprotocol/client'
import { setImmediate as othersTurn } from 'node:timers/promises'

type Library = typeof Client

/**
 * Loads the client of the protocol. The schema library is loaded first, and other work gets a turn in between: loading everything at once
 * blocked the event loop for more than a tenth of a second, the first time.
 */
export async function mcpLibrary (): Promise<Library> {
  await import('zod')
  await othersTurn()
  return await import('@modelcontextprotocol/client')
}
