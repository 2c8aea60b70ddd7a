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
  stream: Flag('Server-Sent Events, with what is understood while it is being heard; as Accept: text/event-stream')
})

/** The frames of a recording that is being transcribed. */
export const transcriptFrames = {
  partial: Closed({
    text: Type.String({ description: 'the transcript so far; the next frame replaces it' })
  }, { title: 'PartialTranscript', description: 'at most ten a second; none from who says it all at once' }),
  final: Transcript,
  error: Closed({ error: Type.String() }, {
    title: 'TranscriptError', description: 'last frame instead of final: it failed after it had begun'
  })
}

const event = EventStream('TranscriptEvent', transcriptFrames)
export const TranscriptAnswer = {
  description: 'the transcript', content: { 'application/json': { schema: Transcript }, ...event.content }
}

export const TranscribeCapability = Closed({
  ok: Type.Boolean(),
  available: Type.Boolean({ description: 'recordings can be transcribed' }),
  provider: Nullable(Type.String(), 'what transcribes; `custom`: a server known by its address only; `local`: a model on this machine')
}, { title: 'TranscribeCapability' })

/** The service checks rate and pitch itself, and explains their limits in its own words. */
const Change = (description: string) =>
  Type.Optional(Type.Unsafe<string | number | null>({ type: ['string', 'number', 'null'], description }))

const engine = '`engine_default` (also `edge`: what speaks without a key: espeak-ng, or what config.yaml says in its place, a model on this machine or an online voice), `espeak`, `local` (the model), `engine_keyed_a` (ElevenLabs; also `elevenlabs`), `engine_keyed_b` (OpenAI or a server of its kind; also `openai`), `browser` (the device speaks itself: refused); default: the setting tts_engine where it was saved, else tts.provider of config.yaml, else `engine_default`'
const voice = 'of `engine_default`: a name such as en-US-AriaNeural or a locale such as de-DE, default: the setting tts_voice where it was saved, else zh-CN-XiaoxiaoNeural; of a model on this machine the number of a speaker; the others take theirs from config.yaml'
const rate = '0.5 to 2, where 1 is as usual, or a change such as +10%; 0, empty or null: as usual (the setting tts_rate where it was saved)'
const pitch = '0 to 2, where 1 is as usual, or a change such as -10% or -5Hz; 0, empty or null: as usual (the setting tts_pitch where it was saved)'

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
  after_event_id: Type.Optional(Type.String({ description: 'id of the last frame that was heard; wins over Last-Event-ID' }))
})

const place = {
  part: Type.Integer({
    minimum: 0, description: 'which text of the turn: it says something before each round of its tools, and at its end'
  }),
  message_id: Nullable(Type.String(), 'the message that the text has become; null while it is being written, see `message`'),
  start: Type.Integer({ minimum: 0, description: 'where the sentence begins in the content of that message, in UTF-16 units' }),
  end: Type.Integer({ minimum: 0, description: 'where it ends; the ranges of some sentences are the same' })
}

/** The frames of a turn that is read aloud. */
export const speechFrames = {
  audio: Closed({
    ...place,
    text: Type.String({ description: 'the text of the sentence' }),
    type: Type.String({ description: 'audio/wav or audio/mpeg' }),
    audio: Type.String({ contentEncoding: 'base64', description: 'a whole file, of 4 MiB at most' })
  }, { title: 'SpokenSentence', description: 'the next sentence' }),
  skipped: Closed({ ...place, error: Type.String() }, { title: 'SkippedSentence', description: 'a sentence that could not be spoken' }),
  retracted: Closed({ part: Type.Integer() }, {
    title: 'RetractedPart', description: 'the part is void: the model begins it again'
  }),
  message: Closed({
    part: Type.Integer(), message_id: Type.String()
  }, { title: 'SpokenMessage', description: 'a part has become a message' }),
  end: Closed({
    state: OneOf(['completed', 'cancelled', 'interrupted', 'failed'], 'failed: the engine could not speak three sentences in a row'),
    error: Type.Optional(Type.String())
  }, { title: 'SpeechEnd', description: 'last frame: everything was spoken, or nothing more will be' })
}
