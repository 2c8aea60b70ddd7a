import { createParser } from 'eventsource-parser'

/** A Server-Sent Event: its id (null without one) and its content. `Frame` is the stream's type in the service's document. */
export interface EventFrame<Frame> { readonly id: string | null, readonly frame: Frame }

type Named = { event: string, data: unknown }

/**
 * Yields the Server-Sent Events of an answer as they arrive, one batch per read: empty if only part of an event, or a comment, has arrived.
 * Throws what reading throws; skips events that are not JSON.
 */
async function * eventBatches<Frame extends Named> (body: ReadableStream<Uint8Array>): AsyncGenerator<Array<EventFrame<Frame>>> {
  let batch: Array<EventFrame<Frame>> = []
  const parser = createParser({
    onEvent ({ id = null, event = 'message', data }) {
      try {
        batch.push({ id, frame: { event, data: JSON.parse(data) } as Frame })
      } catch {}
    }
  })
  const decoder = new TextDecoder()
  const reader = body.getReader()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parser.feed(decoder.decode(part.value, { stream: true }))
      yield batch
      batch = []
    }
  } finally {
    // Closes the connection when the caller stops reading.
    await reader.cancel().catch(() => {})
  }
}

/** Yields the Server-Sent Events of an answer one by one; see {@link eventBatches}. */
export async function * eventFrames<Frame extends Named> (body: ReadableStream<Uint8Array>): AsyncGenerator<EventFrame<Frame>> {
  for await (const batch of eventBatches<Frame>(body)) yield * batch
}

export interface StreamRequest {
  url: string
  headers?: Readonly<Record<string, string>>
  /** Ends the connection; pending reads throw the signal's reason. */
  signal: AbortSignal
  /** How long nothing may arrive, in milliseconds; the service sends something every 5 s. Default: 20,000. */
  silentMs?: number
  /** Called when the service has answered with a stream. */
  onOpen?: () => void
}

/**
 * Opens an event stream, and yields its events as {@link eventBatches} does. Unlike EventSource, it accepts headers, reports why it was
 * refused, and closes a silent connection. `refuse` gets an answer that is not a stream, and throws; any other error that ends a connection
 * before the service does is thrown as it is.
 */
export async function * openEvents<Frame extends Named> (
  { url, headers, signal, silentMs = 20_000, onOpen }: StreamRequest, refuse: (response: Response) => Promise<unknown>
): AsyncGenerator<Array<EventFrame<Frame>>> {
  const connection = new AbortController()
  const end = (): void => { connection.abort(signal.reason) }
  let timer: ReturnType<typeof setTimeout> | undefined
  const wait = (): void => { timer = setTimeout(() => connection.abort(new Error('The connection is silent')), silentMs) }
  signal.throwIfAborted()
  signal.addEventListener('abort', end)
  try {
    wait()
    // Browsers hold a request back while an identical one that may be cached is running.
    const init = { headers: { ...headers, accept: 'text/event-stream' }, signal: connection.signal, cache: 'no-store' as const }
    const response = await fetch(url, init)
    // Nothing follows: the client has seen the last event.
    const isOver = response.status === 204
    if (!isOver && (!response.ok || response.body === null)) {
      await refuse(response)
      return
    }
    onOpen?.()
    if (response.body === null) return
    for await (const batch of eventBatches<Frame>(response.body)) {
      // A slow caller does not make the service silent.
      clearTimeout(timer)
      yield batch
      wait()
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    connection.abort()
  }
}
