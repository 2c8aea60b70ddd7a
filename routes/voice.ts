import multipart from '@fastify/multipart'
import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { rates } from '../plugins/rate-limit.js'
import { errors } from '../schemas/common.js'
import { RecordingForm, TranscribeCapability, Transcript } from '../schemas/voice.js'
import { readFileForm } from './files-upload-form.js'
import { whileListening } from './sending.js'

const tags = ['voice']

/** Speech: recordings become text. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { voice: { transcription } } = app

  app.get('/api/transcribe/capability', {
    schema: { tags, summary: 'Whether recordings can be transcribed', response: { 200: TranscribeCapability } }
  }, async (request) => ({ ok: true, ...transcription.capability(request.activeProfile()) }))

  await app.register(forms)
}

const forms: FastifyPluginAsyncTypebox = async (app) => {
  const { files: { incoming }, voice: { transcription } } = app
  await app.register(multipart)
  // What is no form is refused by the route and not read, whatever else it is.
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))

  app.post('/api/transcribe', {
    config: { rateLimit: rates.model },
    schema: {
      tags,
      consumes: ['multipart/form-data'],
      summary: 'What is said in a recording',
      description: 'The recording goes to the server that `stt` in config.yaml names, and to no other.',
      body: RecordingForm,
      response: { 200: Transcript, ...errors(400, 413, 429, 502, 503) }
    }
  }, async (request, reply) => {
    const { fields, file } = await readFileForm(request, incoming)
    try {
      const recording = { path: file.path, language: fields.get('language') ?? null }
      return { ok: true, transcript: await whileListening(reply, async (signal) => await transcription.transcribe(request.activeProfile(), recording, signal)) }
    } finally {
      await file.discard()
    }
  })
}
export default plugin
