import { request, type ClientRequest, type IncomingMessage } from 'node:http'

export interface ReceivedFrame { id: string | null, event: string, data: any } // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries is what a test looks into

/** A minimal Server-Sent Events client: it shows what is on the wire, including comments. */
export interface EventReader {
  status: number
  headers: IncomingMessage['headers']
  /** Everything received so far. */
  frames: ReceivedFrame[]
  comments: string[]
  /** The body if the answer is not an event stream. */
  text: string
  /** Resolves to the first matching frame, received or future; rejects if the stream ends without one. */
  until (fits: string | ((frame: ReceivedFrame) => boolean)): Promise<ReceivedFrame>
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>
  /** Drops the connection as a network failure does. */
  drop (): void
  pause (): void
  resume (): void
}

export async function openEvents (url: string, headers: Record<string, string> = {}): Promise<EventReader> {
  const waiting = new Set<() => void>()
  let over = false
  const notify = () => { for (const wake of [...waiting]) wake() }
  let call: ClientRequest
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    call = request(url, { headers: { accept: 'text/event-stream', 'accept-encoding': 'identity', ...headers }, agent: false }, resolve)
    call.on('error', reject)
    call.end()
  })
  call!.on('error', () => {})
  const reader: EventReader = {
    status: response.statusCode ?? 0,
    headers: response.headers,
    frames: [],
    comments: [],
    text: '',
    async until (fits) {
      const matches = typeof fits === 'string' ? (frame: ReceivedFrame) => frame.event === fits : fits
      while (true) {
        const found = reader.frames.find(matches)
        if (found !== undefined) return found
        if (over) throw new Error(`the stream ended without the frame; it had: ${reader.frames.map((frame) => frame.event).join(' ')} ${reader.text}`)
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiting.delete(wake)
            resolve()
          }
          waiting.add(wake)
        })
      }
    },
    ended: new Promise((resolve) => response.on('close', () => {
      over = true
      notify()
      resolve()
    })),
    drop: () => response.destroy(),
    pause: () => { response.pause() },
    resume: () => { response.resume() }
  }
  let rest = ''
  response.setEncoding('utf8')
  response.on('error', () => {})
  response.on('data', (chunk: string) => {
    reader.text += chunk
    rest += chunk
    let end
    while ((end = rest.indexOf('\n\n')) !== -1) {
      parse(rest.slice(0, end), reader)
      rest = rest.slice(end + 2)
    }
    notify()
  })
  return reader
}

function parse (block: string, reader: EventReader): void {
  const frame: ReceivedFrame = { id: null, event: 'message', data: null }
  let hasData = false
  for (const line of block.split('\n')) {
    if (line.startsWith(':')) reader.comments.push(line.slice(1).trim())
    else if (line.startsWith('id: ')) frame.id = line.slice(4)
    else if (line.startsWith('event: ')) frame.event = line.slice(7)
    else if (line.startsWith('data: ')) {
      frame.data = JSON.parse(line.slice(6))
      hasData = true
    }
  }
  if (hasData) reader.frames.push(frame)
}

/** Returns the sequence numbers of frames, from their ids. */
export const seqs = (frames: ReceivedFrame[]): number[] => frames.map((frame) => Number(frame.id?.split(':').at(-1)))

/** Returns the text of the token frames. */
export const tokenText = (frames: ReceivedFrame[]): string => frames.filter((frame) => frame.event === 'token').map((frame) => frame.data.text).join('')
