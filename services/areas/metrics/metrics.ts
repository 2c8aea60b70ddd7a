import { type Clock } from '../../ground/time/clock.js'
import { createEventLoopWatch } from './event-loop.js'
import { allFamilies, readAll, type Measured, type Reading } from './families.js'
import { createSizes } from './sizes.js'

/** The metrics of the service in Prometheus' text format. The modules they need are loaded at the first request. */
export function createMetrics (options: Measured & { clock: Clock, databaseFile: string }) {
  const sizes = createSizes(options)
  const eventLoop = createEventLoopWatch()
  /** The reading for the text that is being made; null if nothing was read for it yet. */
  let reading: Reading | null = null
  const read = (): Reading => {
    reading ??= readAll(options, { sizes: sizes.latest(), eventLoop: eventLoop.look() })
    return reading
  }

  async function open () {
    const { createRegistry } = await import('./registry.js')
    return createRegistry(allFamilies(options, read))
  }
  let registry: ReturnType<typeof open> | null = null

  return {
    async text (): Promise<{ text: string, contentType: string }> {
      // If loading fails, for example for lack of file handles, the next request tries again.
      registry ??= open().catch((error: unknown) => {
        registry = null
        throw error
      })
      const [known] = await Promise.all([registry, sizes.refresh()])
      // The registry reads all numbers synchronously, before it waits for anything.
      reading = null
      return { text: await known.metrics(), contentType: known.contentType }
    },

    close: (): void => eventLoop.stop()
  }
}

export type Metrics = ReturnType<typeof createMetrics>
