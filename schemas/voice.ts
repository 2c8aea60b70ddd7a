import { Type } from '@sinclair/typebox'
import { Closed, Maybe, Nullable } from './common.js'

/** For the document: what a form holds is checked while it is read. */
export const RecordingForm = Type.Object({
  file: Type.Optional(Type.String({ contentMediaType: 'application/octet-stream', description: 'the recording: wav, mp3, m4a, mp4, ogg, webm or flac; required' })),
  language: Type.Optional(Type.String({ description: 'what is spoken in it, such as en or zh-CN; default: stt.language of config.yaml, else the model finds out' }))
}, { description: 'multipart/form-data' })

export const Transcript = Closed({ ok: Type.Boolean(), transcript: Type.String() }, { title: 'Transcript' })

export const TranscribeCapability = Closed({
  ok: Type.Boolean(),
  available: Type.Boolean({ description: 'recordings can be transcribed' }),
  provider: Nullable(Type.String(), 'who transcribes; `custom`: a server that has an address alone')
}, { title: 'TranscribeCapability' })

/** What rate and pitch may be is told by the service, in its own words. */
const Change = (description: string) => Type.Optional(Type.Unsafe<string | number | null>({ type: ['string', 'number', 'null'], description }))

export const SpeechBody = Type.Object({
  text: Type.String({ minLength: 1, description: 'Markdown, at most 5,000 characters' }),
  voice: Maybe(Type.String({ maxLength: 200, description: 'of `engine_default`: a name such as en-US-AriaNeural, default zh-CN-XiaoxiaoNeural; the others take theirs from config.yaml' })),
  rate: Change('0.5 to 2, where 1 is as usual, or a change such as +10%; 0, empty or null: as usual'),
  pitch: Change('0 to 2, where 1 is as usual, or a change such as -10% or -5Hz; 0, empty or null: as usual'),
  engine: Maybe(Type.String({
    maxLength: 100,
    description: '`engine_default` (espeak-ng on this machine; also `espeak`, `edge`), `engine_keyed_a` (ElevenLabs; also `elevenlabs`), `engine_keyed_b` (OpenAI or a server of its kind; also `openai`), `browser` (the device speaks itself: refused); default: tts.provider of config.yaml, else `engine_default`'
  }))
})
