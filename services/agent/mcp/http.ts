import { type FetchLike, type Transport } from '@modelcontextprotocol/client'
import { createFloodGate, longestMessageBytes } from './flood.js'

export interface HttpOptions {
  url: string
  headers: Readonly<Record<string, string>>
  /** A sentence about an answer that the server refused with. */
  onRefused: (why: string) => void
}

/**
 * The protocol over HTTP. Redirects are followed inside the origin only, so that headers go nowhere else; what a server
 * sends is counted. Addresses of private networks are allowed: the operator has written them down.
 */
export async function openHttp ({ url, headers, onRefused }: HttpOptions): Promise<Transport> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: countingFetch(onRefused),
    redirectPolicy: 'same-origin',
    reconnectionOptions: { initialReconnectionDelay: 1_000, maxReconnectionDelay: 30_000, reconnectionDelayGrowFactor: 2, maxRetries: 3 }
  })
}

function countingFetch (onRefused: HttpOptions['onRefused']): FetchLike {
  const count = createFloodGate()
  return async (address, init) => {
    const response = await fetch(address, init)
    if (response.status === 401) onRefused('The server asks for a login. Put its key into "headers"; OAuth is not supported yet.')
    else if (response.status >= 400 && response.status !== 404 && response.status !== 405) onRefused(`The server answered with HTTP status ${response.status}.`)
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
    return new Response(counted, { status: response.status, statusText: response.statusText, headers: response.headers })
  }
}
