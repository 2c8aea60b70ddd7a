import { Agent, request, type IncomingMessage } from 'node:http'

// A client as cheap as possible, because it uses the same two cores as the service.

const agent = new Agent({ keepAlive: true, maxSockets: 256 })

export interface Answer {
  status: number
  body: any // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries is looked into as it is
}

export async function call (url: string, method = 'GET', body?: unknown): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  return await new Promise<Answer>((resolve, reject) => {
    const outgoing = request(url, {
      method, agent, headers: text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    }, (response) => {
      let received = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => { received += chunk })
      response.on('end', () => {
        try {
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(received) })
        } catch {
          resolve({ status: response.statusCode ?? 0, body: received })
        }
      })
      response.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end(text)
  })
}

/** Throws unless the answer is 200. */
export async function post (
  url: string, body: unknown
): Promise<any> { // eslint-disable-line @typescript-eslint/no-explicit-any -- as above
  const answer = await call(url, 'POST', body)
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

export async function newSession (serviceUrl: string, workspace?: string): Promise<string> {
  return (await post(`${serviceUrl}/api/session/new`, { workspace })).session.session_id as string
}

/** An event as it was on the wire; `data` is not parsed. */
export interface WireFrame { id: string | null, event: string, data: string }

export interface EventStream {
  /** Resolves when the stream is over: to true if the server ended it, to false if it broke. */
  over: Promise<boolean>
  drop (): void
}

/** Reads Server-Sent Events and passes each complete one on as it arrives. */
export async function readEvents (
  url: string, onFrame: (frame: WireFrame) => void, init: { method?: string, body?: string } = {}
): Promise<EventStream> {
  const { method = 'GET', body } = init
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(url, {
      method, agent: false, headers: { accept: 'text/event-stream', ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
    }, resolve)
    outgoing.on('error', reject)
    outgoing.end(body)
  })
  if (response.statusCode !== 200) {
    response.resume()
    throw new Error(`${url} answered ${response.statusCode}`)
  }
  let rest = ''
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    rest += chunk
    let end
    while ((end = rest.indexOf('\n\n')) !== -1) {
      const frame = parseFrame(rest.slice(0, end))
      rest = rest.slice(end + 2)
      if (frame !== null) onFrame(frame)
    }
  })
  const over = new Promise<boolean>((resolve) => {
    response.on('end', () => resolve(true))
    response.on('close', () => resolve(response.complete))
    response.on('error', () => resolve(false))
  })
  return { over, drop: () => response.destroy() }
}

function parseFrame (block: string): WireFrame | null {
  const frame: WireFrame = { id: null, event: 'message', data: '' }
  let hasData = false
  for (const line of block.split('\n')) {
    if (line.startsWith('id: ')) frame.id = line.slice(4)
    else if (line.startsWith('event: ')) frame.event = line.slice(7)
    else if (line.startsWith('data: ')) {
      frame.data = line.slice(6)
      hasData = true
    }
  }
  return hasData ? frame : null
}
