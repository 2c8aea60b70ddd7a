import { ApiError, type Api, type Wire } from '../service/api.js'
import { eventFrames } from '../../../../clients/typescript/src/events.js'

/** Plays sounds one after another. */
export interface Player {
  /** Resolves when the sound has been played, or `stop` was called. Rejects if it cannot be played. */
  play: (sound: { type: string, bytes: Uint8Array<ArrayBuffer> }) => Promise<void>
  stop: () => void
}

/** How reading aloud ended. `stopped`: by `stop`. */
export type SpokenEnd = 'completed' | 'cancelled' | 'interrupted' | 'failed' | 'stopped'

export interface SpokenTurn {
  /** Rejects with ApiError, such as if the service has no voice. */
  readonly ended: Promise<SpokenEnd>
  stop: () => void
}

const mostReconnects = 5
const reconnectMs = 500

function bytesOf (base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
}

/** Reads a turn aloud while it runs, sentence by sentence, and resumes after a lost connection. */
export function speakTurn (
  api: Api, streamId: string, player: Player, { onSentence }: { onSentence?: (text: string) => void } = {}
): SpokenTurn {
  const stopping = new AbortController()
  const waiting: Array<Wire<'SpokenSentence'>> = []
  let playing: Promise<void> | null = null

  async function playAll (): Promise<void> {
    for (let next = waiting.shift(); next !== undefined && !stopping.signal.aborted; next = waiting.shift()) {
      onSentence?.(next.text)
      // A sound that cannot be played is skipped, as is a sentence without one.
      await player.play({ type: next.type, bytes: bytesOf(next.audio) }).catch(() => {})
    }
    playing = null
  }

  function take (frame: Wire<'SpeechEvent'>): Wire<'SpeechEnd'> | null {
    if (frame.event === 'audio') {
      waiting.push(frame.data)
      playing ??= playAll()
    } else if (frame.event === 'retracted') {
      const kept = waiting.filter(({ part }) => part !== frame.data.part)
      waiting.splice(0, waiting.length, ...kept)
    }
    return frame.event === 'end' ? frame.data : null
  }

  async function run (): Promise<SpokenEnd> {
    let after: string | null = null
    for (let tries = 0; !stopping.signal.aborted; tries++) {
      try {
        const response: Response = await fetch(api.url('/api/tts/stream', {
          stream_id: streamId, ...(after === null ? {} : { after_event_id: after })
        }), { headers: { accept: 'text/event-stream' }, signal: stopping.signal })
        if (!response.ok || response.body === null) return await api.read<never>(response)
        for await (const { id, frame } of eventFrames<Wire<'SpeechEvent'>>(response.body)) {
          if (id !== null) [after, tries] = [id, 0]
          const end = take(frame)
          if (end === null) continue
          if (end.state === 'cancelled') silence()
          await playing
          return stopping.signal.aborted ? 'stopped' : end.state
        }
      } catch (error) {
        if (stopping.signal.aborted) break
        if (error instanceof ApiError) throw error
      }
      if (tries >= mostReconnects) throw new ApiError('The connection was lost.', 0)
      await new Promise((resolve) => setTimeout(resolve, reconnectMs))
    }
    return 'stopped'
  }

  function silence (): void {
    waiting.length = 0
    player.stop()
  }

  return {
    ended: run(),
    stop: () => {
      stopping.abort()
      silence()
    }
  }
}

/** Splits a text into parts of at most `most` characters, at paragraphs, else at sentences, lines or words. */
export function speakableParts (markdown: string, most = 4_500): string[] {
  const parts: string[] = []
  let rest = markdown.trim()
  while (rest.length > most) {
    const head = rest.slice(0, most)
    const places = ['\n\n', '. ', '。', '\n', ' '].map((mark) => head.lastIndexOf(mark) + mark.trimEnd().length)
    const at = places.find((place) => place > most / 4) ?? most
    parts.push(rest.slice(0, at).trim())
    rest = rest.slice(at).trim()
  }
  return rest === '' ? parts : [...parts, rest]
}

/** Returns the speech of a text. Throws ApiError. */
export async function fetchSpeech (api: Api, text: string, signal: AbortSignal): Promise<{ type: string, bytes: Uint8Array<ArrayBuffer> }> {
  let response: Response
  try {
    response = await fetch(api.url('/api/tts'), {
      method: 'POST', headers: { 'content-type': 'application/json', ...api.tokenHeaders }, body: JSON.stringify({ text }), signal
    })
  } catch (error) {
    if (signal.aborted) throw error
    throw new ApiError('The connection was lost. Try again.', 0)
  }
  if (response.status === 429) {
    // The next part is requested while this one plays, and the service accepts one request every two seconds.
    await new Promise((resolve) => setTimeout(resolve, Number(response.headers.get('retry-after') ?? 2) * 1_000))
    return await fetchSpeech(api, text, signal)
  }
  if (!response.ok) await api.read(response)
  return { type: response.headers.get('content-type') ?? 'audio/wav', bytes: new Uint8Array(await response.arrayBuffer()) }
}
