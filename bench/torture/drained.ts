import { type Writable } from 'node:stream'

/** Resolves when a stream accepts more data, or is closed. */
export async function drained (stream: Writable): Promise<void> {
  await new Promise<void>((resolve) => {
    const go = (): void => {
      stream.off('drain', go).off('close', go)
      resolve()
    }
    stream.on('drain', go).on('close', go)
  })
}
