import { call, newSession, post, readEvents } from './wire.js'

/** What a reader of one answer saw. Times are `performance.now()` of this process. */
export interface Heard {
  startedMs: number
  /** When the start call was answered; for a direct reading, when the endpoint's answer began. */
  answeredMs: number
  firstMs: number
  lastMs: number
  /** Time from the endpoint's sending of a token to its arrival, per token. */
  delaysMs: number[]
  /** Tokens that came more than once or out of order. */
  misplaced: number
  text: string
  /** The last event, or how the stream ended. */
  end: string
}

const stamp = /t(\d{15,17}) /g

function listener (): Heard & { hear (text: string): void } {
  let last = 0
  return {
    startedMs: performance.now(), answeredMs: NaN, firstMs: NaN, lastMs: NaN, delaysMs: [], misplaced: 0, text: '', end: '',
    hear (text) {
      const now = performance.now()
      if (this.delaysMs.length === 0) this.firstMs = now
      this.lastMs = now
      this.text += text
      for (const match of text.matchAll(stamp)) {
        const sent = Number(match[1])
        if (sent <= last) this.misplaced++
        last = sent
        this.delaysMs.push(performance.timeOrigin + now - sent / 1000)
      }
    }
  }
}

/** Runs a turn as a client does: the start call, then its stream to the end. `started` is called with the id of the stream. */
export async function hearTurn (
  serviceUrl: string, sessionId: string, message: string, started: (streamId: string) => void = () => {}
): Promise<Heard> {
  const heard = listener()
  const { stream_id: streamId } = await post(`${serviceUrl}/api/chat/start`, { session_id: sessionId, message })
  heard.answeredMs = performance.now()
  started(streamId as string)
  const stream = await readEvents(`${serviceUrl}/api/chat/stream?stream_id=${streamId}`, ({ event, data }) => {
    if (event === 'token') heard.hear((JSON.parse(data) as { text: string }).text)
    heard.end = event
  })
  await stream.over
  return heard
}

/** Reads the same answer from the model endpoint itself. */
export async function hearDirectly (modelUrl: string, message: string): Promise<Heard> {
  const heard = listener()
  const body = JSON.stringify({ model: 'bench-model', stream: true, messages: [{ role: 'user', content: message }] })
  const stream = await readEvents(`${modelUrl}/chat/completions`, ({ data }) => {
    if (data === '[DONE]') return
    const text = (JSON.parse(data) as { choices: Array<{ delta: { content?: string } }> }).choices[0]?.delta.content
    if (text !== undefined && text !== '') heard.hear(text)
  }, { method: 'POST', body })
  heard.answeredMs = performance.now()
  await stream.over
  return heard
}

export async function newSessions (serviceUrl: string, count: number, workspace?: string): Promise<string[]> {
  return await Promise.all(Array.from({ length: count }, () => newSession(serviceUrl, workspace)))
}

/** Returns the text of the answer in the transcript. */
export async function storedAnswer (serviceUrl: string, sessionId: string): Promise<string> {
  const { session } = (await call(`${serviceUrl}/api/session?session_id=${sessionId}`)).body as {
    session: { messages: Array<{ role: string, content: string }> }
  }
  return session.messages.filter(({ role }) => role === 'assistant').map(({ content }) => content).join('')
}

/** Returns tokens per second of all readers together, from the first token to the last. */
export function rateOf (heard: Heard[]): number {
  const tokens = heard.reduce((sum, { delaysMs }) => sum + delaysMs.length, 0)
  const fromMs = Math.min(...heard.map(({ firstMs }) => firstMs))
  const toMs = Math.max(...heard.map(({ lastMs }) => lastMs))
  return tokens / (toMs - fromMs) * 1000
}
