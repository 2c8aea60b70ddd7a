import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createEspeak, createSpeech, createTranscription, type Speech, type Transcription } from '../services/voice/index.js'

declare module 'fastify' {
  interface FastifyInstance { voice: { transcription: Transcription, speech: Speech } }
}

/** Speech to text and text to speech, by whom the profile's config.yaml names, or by a program of this machine. */
export default fp(async (app: FastifyInstance) => {
  const { config, profiles: { settings } } = app
  app.decorate('voice', {
    transcription: createTranscription({ settings }),
    speech: createSpeech({ settings, espeak: createEspeak({ path: config.env['PATH'] }) })
  })
}, { name: 'voice', dependencies: ['config', 'profiles'] })
