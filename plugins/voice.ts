import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createTranscription, type Transcription } from '../services/voice/index.js'

declare module 'fastify' {
  interface FastifyInstance { voice: { transcription: Transcription } }
}

/** Speech to text, by whom the profile's config.yaml names. */
export default fp(async (app: FastifyInstance) => {
  const { profiles } = app
  app.decorate('voice', { transcription: createTranscription({ settings: profiles.settings }) })
}, { name: 'voice', dependencies: ['profiles'] })
