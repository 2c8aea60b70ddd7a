import { Invalid, Unavailable } from '../../ground/errors.js'
import { type ProfileSettings } from '../profiles/index.js'
import { guardedFetch } from '../../providers/index.js'
import { elevenlabsOf, openaiSpeakerOf, type FoundEndpoint, type SpeechEndpoint } from './endpoint.js'
import { type Espeak } from './espeak.js'
import { type LocalSpeech } from './local/speech.js'
import { type OnlineVoice } from './online/online.js'
import { speakByElevenlabs, speakByOpenai, type Sound } from './speech-providers.js'
import { type Prosody } from './prosody.js'
import { spokenText } from './spoken-text.js'
import { isVoice, onlineVoice, systemVoice, usualVoice } from './voices.js'

export interface SpeechOptions {
  /** Returns the settings in the files of a profile. */
  settings: (profile: string) => ProfileSettings
  /** Returns the person's saved settings, for requests without their own. */
  saved: () => SavedSpeech
  espeak: Espeak
  /** A model on this machine. */
  local: LocalSpeech
  /** Used only if config.yaml allows it. */
  online: OnlineVoice
  fetch?: typeof globalThis.fetch
}

/** Null: not saved. */
export interface SavedSpeech { engine: string | null, voice: string | null, rate: number | null, pitch: number | null }

/** How a text is to be spoken. */
export interface Manner {
  /** A voice of the engines without a key; the others take theirs from config.yaml. Null = the usual one. */
  voice: string | null
  /** Null = the saved engine or that of config.yaml, else the one of this machine. */
  engine: string | null
  prosody: Prosody
}

/** A text that a person wants to hear. */
export interface Utterance extends Manner {
  /** Markdown. */
  text: string
}

export interface Speaker {
  /** Speaks a text without Markdown. Throws RelayFailed when the engine fails, and Unavailable when it is missing. */
  say (spoken: string, signal: AbortSignal): Promise<Sound>
  /** Throws Unavailable when the engine is missing, for callers that need to know before they have a text. */
  assertThere (): Promise<void>
}

/** `default`: the engine without a key, as config.yaml says; `system`: espeak-ng. */
type Engine = 'default' | 'system' | 'local' | 'elevenlabs' | 'openai' | 'browser'

const engines: Readonly<Record<string, Engine>> = {
  engine_default: 'default', edge: 'default', espeak: 'system', 'espeak-ng': 'system', local: 'local',
  engine_keyed_a: 'elevenlabs', elevenlabs: 'elevenlabs',
  engine_keyed_b: 'openai', openai: 'openai',
  browser: 'browser'
}

/**
 * Reads texts aloud: with a program or a model of this machine, with an online voice if that is allowed, or with a service for which the
 * profile has a key.
 */
export function createSpeech ({ settings, saved, espeak, local, online, fetch = guardedFetch }: SpeechOptions) {
  /**
   * Returns a speaker for a profile. Throws Invalid for an unknown engine or voice, and Unavailable with what has to be configured.
   */
  function speaker (profile: string, { voice, engine, prosody }: Manner): Speaker {
    const found = settings(profile)
    const { tts = {} } = found.config
    const wishes = saved()
    const named = engineOf(engine, [wishes.engine, tts.provider])
    const chosen = named === 'default' && engineNamed(given(tts.provider ?? null) ?? '') === 'local' ? 'local' : named
    if (chosen === 'browser') throw new Invalid('The engine browser speaks on the device itself; the server has no sound for it')
    if (chosen === 'openai') {
      const endpoint = usable(openaiSpeakerOf(found))
      return remote(async (text, signal) => await speakByOpenai(fetch, endpoint, tts, { text, prosody, signal }))
    }
    if (chosen === 'elevenlabs') {
      const endpoint = usable(elevenlabsOf(found))
      return remote(async (text, signal) => await speakByElevenlabs(fetch, endpoint, tts, { text, prosody, signal }))
    }
    if (chosen === 'local') {
      const utterance = { speaker: speakerOf([voice, wishes.voice, tts.voice]), speed: prosody.rate }
      return {
        say: async (text, signal) => ({ bytes: await local.speak(tts.model_dir, { text, ...utterance }, signal), type: 'audio/wav' }),
        assertThere: async () => await local.assertThere(tts.model_dir)
      }
    }
    const name = given(voice) ?? [wishes.voice, tts.voice].find((name) => name != null && isVoice(name)) ?? usualVoice
    systemVoice(name, '')
    const system: Speaker = {
      say: async (text, signal) => ({ bytes: await espeak.speak(text, systemVoice(name, text), prosody, signal), type: 'audio/wav' }),
      assertThere: espeak.assertThere
    }
    return chosen === 'default' && tts.online === true
      ? onlineBefore(system, async (text, signal) => await online.speak(text, onlineVoice(name, text), prosody, signal))
      : system
  }

  /** Speaks online, and with espeak-ng while that fails, because a person is waiting for the sound. */
  function onlineBefore (system: Speaker, speak: (text: string, signal: AbortSignal) => Promise<Buffer>): Speaker {
    return {
      async say (text, signal) {
        if (!online.isWorthAsking()) return await system.say(text, signal)
        try {
          return { bytes: await speak(text, signal), type: 'audio/mpeg' }
        } catch (error) {
          if (signal.aborted) throw error
          return await system.say(text, signal).catch((other: unknown) => { throw other instanceof Unavailable ? error : other })
        }
      },
      assertThere: async () => { if (!online.isWorthAsking()) await system.assertThere() }
    }
  }

  return {
    speaker,

    /** Returns the saved rate and pitch, for requests without their own. */
    usualProsody (): Prosody {
      const { rate, pitch } = saved()
      return { rate: rate ?? 1, pitch: pitch ?? 1 }
    },

    /**
     * Returns the text as sound. Throws Invalid for an unknown engine or voice and for a text without anything to say, Unavailable (with
     * what has to be installed or configured), and RelayFailed when the engine fails.
     */
    async speak (profile: string, { text, ...manner }: Utterance, signal: AbortSignal): Promise<Sound> {
      const { say } = speaker(profile, manner)
      const spoken = await spokenText(text)
      if (spoken === '') throw new Invalid('The text contains nothing to speak')
      return await say(spoken, signal)
    }
  }
}

export type Speech = ReturnType<typeof createSpeech>

const remote = (say: Speaker['say']): Speaker => ({ say, assertThere: async () => {} })

/** Unknown values that are saved or configured are ignored, and so is `browser`, with which devices speak themselves. */
function engineOf (name: string | null, otherwise: ReadonlyArray<string | null | undefined>): Engine {
  const wanted = given(name)
  if (wanted !== null) {
    const engine = engineNamed(wanted)
    if (engine === undefined) {
      throw new Invalid('Invalid engine: must be one of engine_default, engine_keyed_a, engine_keyed_b, browser, espeak, local')
    }
    return engine
  }
  const [usual = 'default'] = otherwise.map((wish) => engineNamed(given(wish ?? null) ?? '')).filter((engine) =>
    engine !== undefined && engine !== 'browser')
  return usual
}

const engineNamed = (name: string): Engine | undefined =>
  Object.hasOwn(engines, name.toLowerCase()) ? engines[name.toLowerCase()] : undefined

const given = (text: string | null): string | null => text === null || text.trim() === '' ? null : text.trim()

function usable (found: FoundEndpoint): SpeechEndpoint {
  if ('problem' in found) throw new Unavailable(found.problem)
  return found
}

/** Models with several speakers number them; names of other engines' voices are ignored. */
function speakerOf (names: ReadonlyArray<string | null | undefined>): number {
  return Number(names.find((name) => name != null && /^\s*\d{1,4}\s*$/.test(name)) ?? 0)
}
