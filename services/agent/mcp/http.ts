import { type FetchLike, type Transport } from '@modelcontextprotocol/client'
import { Bearer, type BearerOptions } from './bearer.js'
import { refusalOf, type Refusal } from './failure.js'
import { createFloodGate, longestMessageBytes } from './flood.js'
import { serverConnections } from './guarded-fetch.js'

export interface HttpOptions {
  url: string
  headers: Readonly<Record<string, string>>
  /** Where tokens come from that signing in has brought; null: the headers hold what is needed. */
  signIn: Omit<BearerOptions, 'url'> | null
  /** An answer that the server refused with; null when it takes the next request. */
  onRefused: (refusal: Refusal | null) => void
}

/**
 * The protocol over HTTP. Redirects are followed inside the origin only, so that headers and tokens go nowhere else; what a
 * server sends is counted. Addresses of private networks are allowed, as the operator has written them down, but for those
 * where clouds keep credentials.
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
    // To types, a browser's request and answer are none of undici's.
    const response = await fetch(address, { ...init as object, dispatcher: await connections.agent() }) as unknown as Response
    if (response.ok) onRefused(null)
    else if (response.status >= 400 && response.status !== 404 && response.status !== 405) onRefused(refusalOf(response.status))
    if (response.body === null) return response
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true
    let bytes = 0
    const counted = response.body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({
      transform (chunk, controller) {
        // Events of a stream are messages of their own; an answer that is none is one message.
        bytes = isStream && chunk.includes(10) ? 0 : bytes + chunk.length
        count(isStream ? 1 : 0, chunk.length)
        if (bytes > longestMessageBytes) throw new Error('It sent a message without end')
        controller.enqueue(chunk)
      }
    }))
    return new Response(counted, { status: response.status, statusText: response.statusText, headers: [...response.headers] })
  }
}
