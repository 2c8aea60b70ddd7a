import { Type } from '@sinclair/typebox'
import { Closed, EventStream, Flag, Id, Maybe, Nullable, OneOf } from './common.js'

/** Only for the document: a form is checked while it is read. */
export const RecordingForm = Type.Object({
  file: Type.Optional(Type.String({
    contentMediaType: 'application/octet-stream', description: 'the recording: wav, mp3, m4a, mp4, ogg, webm or flac; required'
  })),
  language: Type.Optional(Type.String({
    description: 'language of the recording, such as en or zh-CN; default: stt.language of config.yaml, else detected'
  }))
}, { description: 'multipart/form-data' })

const Transcript = Closed({ ok: Type.Boolean(), transcript: Type.String() }, { title: 'Transcript' })

export const TranscribeQuery = Type.Object({
  stream: Flag('Server-Sent Events, with partial transcripts; the same as Accept: text/event-stream')
})

/** The frames of a recording that is being transcribed. */
export const transcriptFrames = {
  partial: Closed({
    text: Type.String({ description: 'the transcript so far; each frame replaces the one before' })
  }, {
    title: 'PartialTranscript',
    description: 'partial transcript, at most ten frames a second; engines that return everything at once send none'
  }),
  final: Transcript,
  error: Closed({ error: Type.String() }, {
    title: 'TranscriptError', description: 'last frame instead of `final`: the transcription failed after it had started'
  })
}

const event = EventStream('TranscriptEvent', transcriptFrames)
export const TranscriptAnswer = {
  description: 'the transcript', content: { 'application/json': { schema: Transcript }, ...event.content }
}

export const TranscribeCapability = Closed({
  ok: Type.Boolean(),
  available: Type.Boolean({ description: 'recordings can be transcribed' }),
  provider: Nullable(
    Type.String(), 'provider that transcribes; `custom`: a server known only by its address; `local`: a model on this machine'
  )
}, { title: 'TranscribeCapability' })

/** The service checks rate and pitch itself, and reports errors in its own words. */
const Change = (description: string) =>
  Type.Optional(Type.Unsafe<string | number | null>({ type: ['string', 'number', 'null'], description }))

const engine = '`engine_default` (also `edge`): the engine without a key: espeak-ng, or the model on this machine or online voice that ' +
  'config.yaml sets instead. `espeak`. `local`: the model on this machine. `engine_keyed_a` (also `elevenlabs`): ElevenLabs. ' +
  '`engine_keyed_b` (also `openai`): OpenAI or a compatible server. `browser`: refused, because the device speaks itself. Default: the ' +
  'setting tts_engine if it was saved, else tts.provider of config.yaml, else `engine_default`'
const voice = 'for `engine_default`: a name such as en-US-AriaNeural or a locale such as de-DE; default: the setting ' +
  'tts_voice if it was saved, else zh-CN-XiaoxiaoNeural. For a model on this machine: the number of a speaker. Other engines ' +
  'use the voice from config.yaml'
const rate = 'speed: 0.5 to 2, where 1 is normal, or a change such as +10%; 0, empty or null: normal, or the setting ' +
  'tts_rate if it was saved'
const pitch = 'pitch: 0 to 2, where 1 is normal, or a change such as -10% or -5Hz; 0, empty or null: normal, or the setting ' +
  'tts_pitch if it was saved'

export const SpeechBody = Type.Object({
  text: Type.String({ minLength: 1, description: 'Markdown, at most 5,000 characters' }),
  voice: Maybe(Type.String({ maxLength: 200, description: voice })),
  rate: Change(rate),
  pitch: Change(pitch),
  engine: Maybe(Type.String({ maxLength: 100, description: engine }))
})

export const SpokenTurnQuery = Type.Object({
  stream_id: Id('stream'),
  voice: Type.Optional(Type.String({ maxLength: 200, description: voice })),
  rate: Type.Optional(Type.String({ maxLength: 20, description: rate })),
  pitch: Type.Optional(Type.String({ maxLength: 20, description: pitch })),
  engine: Type.Optional(Type.String({ maxLength: 100, description: engine })),
  after_event_id: Type.Optional(Type.String({ description: 'id of the last frame that you have; wins over Last-Event-ID' }))
})

const place = {
  part: Type.Integer({ minimum: 0, description: 'index of the text within the turn: one before each round of tools, and one at the end' }),
  message_id: Nullable(Type.String(), 'id of the message with this text; null while it is being written (see the frame `message`)'),
  start: Type.Integer({ minimum: 0, description: 'where the sentence begins in the content of that message, in UTF-16 code units' }),
  end: Type.Integer({ minimum: 0, description: 'where the sentence ends; several sentences may share a range' })
}

/** The frames of a turn that is read aloud. */
export const speechFrames = {
  audio: Closed({
    ...place,
    text: Type.String({ description: 'the text of the sentence' }),
    type: Type.String({ description: 'audio/wav or audio/mpeg' }),
    audio: Type.String({ contentEncoding: 'base64', description: 'a complete audio file in base64, at most 4 MiB' })
  }, { title: 'SpokenSentence', description: 'the next sentence' }),
  skipped: Closed({ ...place, error: Type.String() }, { title: 'SkippedSentence', description: 'a sentence that could not be spoken' }),
  retracted: Closed({ part: Type.Integer() }, {
    title: 'RetractedPart', description: 'the part is void, because the model starts it again'
  }),
  message: Closed({
    part: Type.Integer(), message_id: Type.String()
  }, { title: 'SpokenMessage', description: 'a text of the turn has become a message' }),
  end: Closed({
    state: OneOf(['completed', 'cancelled', 'interrupted', 'failed'], 'failed: the engine could not speak three sentences in a row'),
    error: Type.Optional(Type.String())
  }, { title: 'SpeechEnd', description: 'last frame: everything was spoken, or nothing more follows' })
}
