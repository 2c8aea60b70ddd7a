import { type FetchLike, type Transport } from '@modelcontextprotocol/client'
import { Bearer, type BearerOptions } from './bearer.js'
import { refusalOf, type Refusal } from './failure.js'
import { createFloodGate, longestMessageBytes } from './flood.js'
import { serverConnections } from './guarded-fetch.js'

export interface HttpOptions {
  url: string
  headers: Readonly<Record<string, string>>
  /** Where the tokens from signing in are stored; null if the headers hold what is needed. */
  signIn: Omit<BearerOptions, 'url'> | null
  /** Called with the refusal when the server refuses a request, and with null when it accepts one. */
  onRefused: (refusal: Refusal | null) => void
}

/**
 * Opens the protocol over HTTP. Redirects are followed only within the origin, so that headers and tokens go nowhere else. What a
 * server sends is counted. Private networks are allowed, since the operator has set the address, except for the addresses at which
 * clouds offer credentials.
 */
export async function openHttp ({ url, headers, signIn, onRefused }: HttpOptions): Promise<Transport> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const connections = serverConnections()
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    ...(signIn === null ? {} : { authProvider: new Bearer({ ...signIn, url }) }),
    fetch: countingFetch(new URL(url).origin, connections, onRefused),
    redirectPolicy: 'same-origin',
    reconnectionOptions: { initialReconnectionDelay: 1_000, maxReconnectionDelay: 30_000, reconnectionDelayGrowFactor: 2, maxRetries: 3 }
  })
  const close = transport.close.bind(transport)
  transport.close = async () => {
    await close()
    await connections.destroy()
  }
  return transport
}

function countingFetch (
  origin: string, connections: ReturnType<typeof serverConnections>, onRefused: HttpOptions['onRefused']
): FetchLike {
  const count = createFloodGate()
  return async (address, init) => {
    if (new URL(address).origin !== origin) throw new Error('It sends to another origin')
    const { default: { fetch } } = await import('undici')
    // The types of a browser's request and answer differ from undici's.
    const response = await fetch(address, { ...init as object, dispatcher: await connections.agent() }) as unknown as Response
    if (response.ok) onRefused(null)
    else if (response.status >= 400 && response.status !== 404 && response.status !== 405) onRefused(refusalOf(response.status))
    if (response.body === null) return response
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true
    let bytes = 0
    const counted = response.body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({
      transform (chunk, controller) {
        // Each event of a stream is a message; an answer that is not a stream is one message.
        bytes = isStream && chunk.includes(10) ? 0 : bytes + chunk.length
        count(isStream ? 1 : 0, chunk.length)
        if (bytes > longestMessageBytes) throw new Error('It sent a message without end')
        controller.enqueue(chunk)
      }
    }))
    return new Response(counted, { status: response.status, statusText: response.statusText, headers: [...response.headers] })
  }
}
