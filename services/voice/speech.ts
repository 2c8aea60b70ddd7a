import { Invalid, Unavailable } from '../ground/errors.js'
import { type ProfileSettings } from '../profiles/index.js'
import { guardedFetch } from '../providers/index.js'
import { elevenlabsOf, openaiSpeakerOf, type FoundEndpoint, type SpeechEndpoint } from './endpoint.js'
import { type Espeak } from './espeak.js'
import { speakByElevenlabs, speakByOpenai, type Sound } from './keyed.js'
import { type Prosody } from './prosody.js'
import { spokenText } from './spoken-text.js'
import { isVoice, systemVoice, usualVoice } from './voices.js'

export interface SpeechOptions {
  /** What the files of a profile say. */
  settings: (profile: string) => ProfileSettings
  espeak: Espeak
  fetch?: typeof globalThis.fetch
}

/** A text that a person wants to hear. */
export interface Utterance {
  /** Markdown. */
  text: string
  /** One of the engine's own on this machine; the others take theirs from config.yaml. Null = the usual one. */
  voice: string | null
  /** Null = what config.yaml says, else the one of this machine. */
  engine: string | null
  prosody: Prosody
}

type Engine = 'system' | 'elevenlabs' | 'openai' | 'browser'

const engines: Readonly<Record<string, Engine>> = {
  engine_default: 'system', edge: 'system', espeak: 'system', 'espeak-ng': 'system',
  engine_keyed_a: 'elevenlabs', elevenlabs: 'elevenlabs',
  engine_keyed_b: 'openai', openai: 'openai',
  browser: 'browser'
}

/** Reads texts aloud: by a program of this machine, or by a service for which the profile has a key. */
export function createSpeech ({ settings, espeak, fetch = guardedFetch }: SpeechOptions) {
  return {
    /**
     * The text as sound. Throws Invalid for an engine or a voice that does not exist and a text with nothing to be said, Unavailable
     * (with what has to be installed or configured), and RelayFailed when the engine fails.
     */
    async speak (profile: string, { text, voice, engine, prosody }: Utterance, signal: AbortSignal): Promise<Sound> {
      const found = settings(profile)
      const { tts = {} } = found.config
      const chosen = engineOf(engine, tts.provider)
      if (chosen === 'browser') throw new Invalid('The engine browser speaks on the device itself: there is no sound of the server for it')
      const spoken = await spokenText(text)
      if (spoken === '') throw new Invalid('The text holds nothing that can be spoken')
      const said = { text: spoken, prosody, signal }
      if (chosen === 'openai') return await speakByOpenai(fetch, usable(openaiSpeakerOf(found)), tts, said)
      if (chosen === 'elevenlabs') return await speakByElevenlabs(fetch, usable(elevenlabsOf(found)), tts, said)
      const name = given(voice) ?? (tts.voice !== undefined && isVoice(tts.voice) ? tts.voice : usualVoice)
      return { bytes: await espeak(spoken, systemVoice(name, spoken), prosody, signal), type: 'audio/wav' }
    }
  }
}

export type Speech = ReturnType<typeof createSpeech>

/** What a profile calls its provider in a way that nobody knows counts as nothing said. */
function engineOf (name: string | null, provider: string | undefined): Engine {
  const wanted = given(name)
  if (wanted === null) return engines[given(provider ?? null)?.toLowerCase() ?? ''] ?? 'system'
  const engine = Object.hasOwn(engines, wanted.toLowerCase()) ? engines[wanted.toLowerCase()] : undefined
  if (engine === undefined) throw new Invalid('Invalid engine: must be one of engine_default, engine_keyed_a, engine_keyed_b, browser')
  return engine
}

const given = (text: string | null): string | null => text === null || text.trim() === '' ? null : text.trim()

function usable (found: FoundEndpoint): SpeechEndpoint {
  if ('problem' in found) throw new Unavailable(found.problem)
  return found
}
