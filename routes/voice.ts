import multipart from '@fastify/multipart'
import { type RateLimitOptions } from '@fastify/rate-limit'
import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { whenGone, whileListening } from '../plugins/ground/listening.js'
import { rates } from '../plugins/ground/rate-limit.js'
import { Bytes, errors, EventStream, isOn } from '../schemas/common.js'
import {
  RecordingForm, SpeechBody, speechFrames, SpokenTurnQuery, TranscribeCapability, TranscribeQuery, TranscriptAnswer
} from '../schemas/voice.js'
import { TooMany } from '../services/ground/errors.js'
import { assertSpeakable, LiveTranscript, readProsody } from '../services/areas/voice/index.js'
import { fieldsOf } from '../services/ground/fields.js'
import { readFileForm } from './files-upload-form.js'
import { sendBytes } from './shared/sending.js'
import { tagged } from './shared/tagged.js'

/** Room for 5,000 characters, each written as an escape. */
const speechBytes = 128 * 1024

/** One text every two seconds for each session, or for each address if no sign-in is needed. */
const speechRate: RateLimitOptions = {
  max: 1,
  timeWindow: 2_000,
  // After the guard, so that the session is known.
  hook: 'preHandler',
  keyGenerator: ({ operator, ip }) => operator?.tokenHash ?? ip,
  errorResponseBuilder: (_request, { ttl }) =>
    new TooMany('Too many texts at once. Try again in two seconds.', undefined, { retryAfterS: ttl / 1000 })
}

/** Transcribing recordings, and reading texts aloud. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('voice'))
  const { voice: { speech, transcription, turns } } = app

  app.get('/api/transcribe/capability', {
    config: { scope: 'read' },
    schema: {
      summary: 'Check whether recordings can be transcribed',
      description: '`available: false`: nothing is set up, and `POST /api/transcribe` is a 503.',
      response: { 200: TranscribeCapability }
    }
  }, async (request) => ({ ok: true, ...await transcription.capability(request.activeProfile()) }))

  app.post('/api/tts', {
    bodyLimit: speechBytes,
    // Errors in rate, pitch and text are reported in this order, before any other.
    config: { scope: 'chat', bodyFirst: true, rateLimit: speechRate },
    preValidation: async ({ body }) => {
      const { text, rate, pitch } = fieldsOf(body)
      readProsody({ rate, pitch })
      if (typeof text === 'string') assertSpeakable(text)
    },
    schema: {
      summary: 'Convert text to speech',
      description: 'Returns the whole audio at once, as WAV or, from services with a key, MP3. Markdown is read as plain text. At most ' +
        'one request in two seconds.',
      body: SpeechBody,
      response: { 200: Bytes('*/*', 'audio'), ...errors(400, 413, 429, 502, 503) }
    }
  }, async (request, reply) => {
    const { text, voice = null, engine = null, rate, pitch } = request.body
    const utterance = { text, voice, engine, prosody: readProsody({ rate, pitch }, speech.usualProsody()) }
    const { bytes, type } = await whileListening(reply, async (signal) => await speech.speak(request.activeProfile(), utterance, signal))
    await sendBytes(reply, type, bytes)
    return reply
  })

  app.get('/api/tts/stream', {
    exposeHeadRoute: false,
    // Speech takes time, and some engines cost money.
    config: { scope: 'chat', changes: true },
    schema: {
      summary: 'Stream the speech of a turn, sentence by sentence, while it runs (Server-Sent Events)',
      description: 'Ends when the turn has ended and everything was spoken, or at once when the turn is cancelled.',
      querystring: SpokenTurnQuery,
      response: { 200: EventStream('SpeechEvent', speechFrames), ...errors(400, 404, 429, 503) }
    }
  }, async (request, reply) => {
    const {
      stream_id: streamId, voice = null, engine = null, after_event_id: eventId = request.headers['last-event-id'], ...asked
    } = request.query
    const prosody = readProsody({ rate: factor(asked.rate), pitch: factor(asked.pitch) }, speech.usualProsody())
    const after = typeof eventId === 'string' ? numberOf(eventId, streamId) : 0
    const client = request.operator?.tokenHash ?? request.ip
    app.eventStreams.send(request, reply, await turns.listen({ streamId, manner: { voice, engine, prosody }, after, client }), {
      keepalive: 'heartbeat'
    })
    return reply
  })

  await app.register(forms)
}

/** Returns a number in a query text; any other text is returned unchanged, and refused later. */
const factor = (text: string | undefined): unknown => text !== undefined && /^\d(?:\.\d{1,4})?$/.test(text) ? Number(text) : text

/** Returns the number in the id of a frame; 0, the beginning, for an id of another stream. */
function numberOf (eventId: string, streamId: string): number {
  const colon = eventId.lastIndexOf(':')
  const number = eventId.slice(colon + 1)
  return /^\d{1,9}$/.test(number) && eventId.slice(0, Math.max(0, colon)) === streamId ? Number(number) : 0
}

/** Returns whether a client accepts only events: one that also accepts JSON gets JSON. */
const wantsEvents = (accept: string | undefined): boolean =>
  accept !== undefined && /\btext\/event-stream\b/i.test(accept) && !/\bapplication\/json\b/i.test(accept)

const forms: FastifyPluginAsyncTypebox = async (app) => {
  const { files: { incoming }, voice: { transcription } } = app
  await app.register(multipart)
  // The route refuses a body that is not a form, without reading it.
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))

  app.post('/api/transcribe', {
    config: { scope: 'chat', rateLimit: rates.model },
    schema: {
      consumes: ['multipart/form-data'],
      summary: 'Transcribe a recording',
      description: 'The recording is sent only to the server that `stt` in config.yaml names; with `stt.provider: local`, a ' +
        'model on this machine transcribes it. With `stream`, the answer is an event stream; an error before the first text is ' +
        'still reported by the status.',
      querystring: TranscribeQuery,
      body: RecordingForm,
      response: { 200: TranscriptAnswer, ...errors(400, 413, 429, 502, 503) }
    }
  }, async (request, reply) => {
    const { fields, file } = await readFileForm(request, incoming)
    const profile = request.activeProfile()
    const recording = { path: file.path, language: fields.get('language') ?? null }
    if (isOn(request.query.stream) || wantsEvents(request.headers.accept)) {
      const transcript = new LiveTranscript(async (signal, onPartial) => {
        try {
          return await transcription.transcribe(profile, recording, signal, onPartial)
        } finally {
          await file.discard()
        }
      }, whenGone(reply))
      await transcript.begun
      app.eventStreams.send(request, reply, transcript, { keepalive: 'heartbeat' })
      return reply
    }
    try {
      return {
        ok: true, transcript: await whileListening(reply, async (signal) => await transcription.transcribe(profile, recording, signal))
      }
    } finally {
      await file.discard()
    }
  })
}
export default plugin
