import { Type } from '@sinclair/typebox'
import { Closed, Nullable } from './common.js'

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
