import { computed, signal, type ReadonlySignal } from '@preact/signals'
import { api, settings } from '../app.js'
import { ApiError } from '../core/service/api.js'
import { fetchSpeech, speakableParts, speakTurn, type SpokenTurn } from '../core/voice/spoken-turn.js'
import { type Conversation } from '../core/conversation/conversation.js'
import { toast } from '../ui/toasts.js'
import { words } from '../words/index.js'
import { hasDeviceVoice, speakByDevice } from './device-voice.js'
import { createPlayer } from './player.js'

const current = signal<{ key: string, spoken: SpokenTurn } | null>(null)

/** The key of the answer that is being read aloud; null if there is none. */
export const spokenKey: ReadonlySignal<string | null> = computed(() => current.value?.key ?? null)

const number = (value: unknown): number => typeof value === 'number' && value > 0 ? value : 1
const byDevice = (text: Promise<string>, onStart?: () => void): SpokenTurn => {
  const { tts_rate: rate, tts_pitch: pitch } = settings.values.peek()
  return speakByDevice(text, { rate: number(rate), pitch: number(pitch), ...(onStart === undefined ? {} : { onStart }) })
}
const isDeviceWanted = (): boolean => hasDeviceVoice() && settings.values.peek().tts_engine === 'browser'

/** Uses the first voice or, if the service has none, the second. */
function orElse (first: SpokenTurn, other: () => SpokenTurn): SpokenTurn {
  let spoken = first
  let isStopped = false
  return {
    ended: first.ended.catch(async (error: unknown) => {
      if (isStopped || !(error instanceof ApiError) || !hasDeviceVoice()) throw error
      spoken = other()
      return await spoken.ended
    }),
    stop: () => {
      isStopped = true
      spoken.stop()
    }
  }
}

/** Reads a finished answer aloud, and stops any other. Shows the error on failure. */
export async function speakAnswer (key: string, text: string): Promise<void> {
  stopSpeaking()
  const spoken = isDeviceWanted() ? byDevice(Promise.resolve(text)) : orElse(byService(text), () => byDevice(Promise.resolve(text)))
  const mine = { key, spoken }
  current.value = mine
  try {
    if (await spoken.ended === 'failed') toast(words.value.composer.voice.noVoice, { kind: 'bad', about: 'speech' })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    toast(error.message, { kind: 'bad', about: 'speech' })
  } finally {
    if (current.peek() === mine) current.value = null
  }
}

export function stopSpeaking (): void {
  current.peek()?.spoken.stop()
  current.value = null
}

/** Reads one part after the other; the next one is fetched while one plays. */
function byService (text: string): SpokenTurn {
  const stopping = new AbortController()
  const player = createPlayer()
  async function run (): Promise<'completed' | 'stopped'> {
    const parts = speakableParts(text)
    let next = fetchSpeech(api, parts[0] ?? '', stopping.signal)
    try {
      for (const at of parts.keys()) {
        const sound = await next
        const following = parts[at + 1]
        if (following !== undefined) {
          next = fetchSpeech(api, following, stopping.signal)
          // A failure is handled when the part is due.
          next.catch(() => {})
        }
        await player.play(sound)
        if (stopping.signal.aborted) return 'stopped'
      }
      return 'completed'
    } catch (error) {
      if (stopping.signal.aborted) return 'stopped'
      throw error
    } finally {
      player.close()
    }
  }
  return {
    ended: run(),
    stop: () => {
      stopping.abort()
      player.stop()
    }
  }
}

/** Reads a turn aloud while it runs; with only the device's voice, once it is finished. */
export function speakRunning (
  conversation: Conversation, streamId: string, player: ReturnType<typeof createPlayer>, onSentence: () => void
): SpokenTurn {
  const whole = async (): Promise<string> => {
    await new Promise<void>((resolve) => {
      const stop = conversation.running.subscribe((running) => { if (running !== streamId) queueMicrotask(() => { stop(); resolve() }) })
    })
    const parts = conversation.transcript.exchanges.peek().at(-1)?.turn.parts ?? []
    return parts.flatMap((part) => part.kind === 'text' ? [part.text] : []).at(-1) ?? ''
  }
  if (isDeviceWanted()) return byDevice(whole(), onSentence)
  return orElse(speakTurn(api, streamId, player, { onSentence }), () => byDevice(whole(), onSentence))
}
