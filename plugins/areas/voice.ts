import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import {
  createDecoder, createEngine, createEspeak, createLocalSpeech, createLocalTranscription, createOnlineVoice, createSpeech,
  createSpokenTurns, createTranscription, type SavedSpeech, type Speech, type SpokenTurns, type Transcription
} from '../../services/areas/voice/index.js'

declare module 'fastify' {
  interface FastifyInstance { voice: { transcription: Transcription, speech: Speech, turns: SpokenTurns } }
}

export interface VoicePluginOptions {
  /** Modules of the speech engine of this machine; tests pass their own. */
  modules?: readonly [string, ...string[]]
  /** Address of the online voice; tests pass their own server. */
  online?: { address: string, firstMs?: number, nextMs?: number }
}

/**
 * Converts speech to text and text to speech, with the provider that the profile's config.yaml names, or with a program of this machine.
 */
export default fp(async (app: FastifyInstance, options: VoicePluginOptions) => {
  const { chat, config, events, profiles: { settings }, sessions, settings: choices } = app
  /** Null for what was never saved: each device then decides by itself. */
  const saved = (): SavedSpeech => {
    const keys = new Set(choices.savedSpeechKeys())
    const { tts_engine: engine, tts_voice: voice, tts_rate: rate, tts_pitch: pitch } = choices.values()
    return {
      engine: keys.has('tts_engine') ? engine : null,
      voice: keys.has('tts_voice') ? voice : null,
      rate: keys.has('tts_rate') ? rate : null,
      pitch: keys.has('tts_pitch') ? pitch : null
    }
  }
  const path = config.env['PATH']
  const local = createLocalSpeech({ path, modules: options.modules })
  const speech = createSpeech({
    settings, saved, espeak: createEspeak({ path }), local, online: createOnlineVoice({ clock: app.clock, ...options.online })
  })
  const decode = createDecoder({ path })
  const engine = createEngine({ path, modules: options.modules })
  app.addHook('onClose', async () => {
    engine.close()
    local.close()
  })
  app.decorate('voice', {
    transcription: createTranscription({ settings, decode, local: createLocalTranscription({ decode, engine }) }),
    speech,
    turns: createSpokenTurns({
      events,
      speech,
      turnOf (streamId) {
        const { sessionId } = chat.streamStatus(streamId)
        return { sessionId, profile: sessions.get(sessionId).profile }
      },
      answers: (sessionId, streamId, from) => sessions.transcript.answers(sessionId, streamId, from)
    })
  })
}, { name: 'voice', dependencies: ['config', 'profiles', 'settings', 'events', 'sessions', 'chat'] })
