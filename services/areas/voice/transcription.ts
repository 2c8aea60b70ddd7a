import { readFile } from 'node:fs/promises'
import { createLane } from '../../ground/concurrency/lane.js'
import { Invalid, Unavailable } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'
import { type ProfileSettings } from '../profiles/index.js'
import { guardedFetch } from '../../providers/index.js'
import { assertAudio, wavFormat } from './audio.js'
import { isLocal, localProvider, transcriberOf } from './endpoint.js'
import { type Decoder } from './ffmpeg.js'
import { type LocalTranscription } from './local/transcription.js'
import { Garbled, readTranscriptEvents } from './transcript-events.js'
import { readSpeechService, SpeechRefused, wholeBody, type SpeechRequest } from './upstream.js'

export interface TranscriptionOptions {
  /** Returns the settings in the files of a profile. */
  settings: (profile: string) => ProfileSettings
  /** For servers that accept only WAV. */
  decode: Decoder
  /** For profiles whose model is on this machine. */
  local: LocalTranscription
  fetch?: typeof globalThis.fetch
}

/** A recording that a person has sent. */
export interface Recording {
  /** Absolute. */
  path: string
  /** The spoken language, as a language tag; null = the profile's setting, or the model detects it. */
  language: string | null
}

/** Called now and then with the whole text so far. */
export type Partial = (text: string) => void

/** Whether this profile can transcribe, and with which provider. */
export interface Capability { available: boolean, provider: string | null }

const usualModel = 'whisper-1'
const languageTag = /^([A-Za-z]{2,3})(?:[-_][A-Za-z0-9]{1,8})*$/
/** Slow servers take a few minutes for a recording of half an hour. */
const limitMs = 4 * 60_000
const maxAnswerBytes = 4 * 1024 * 1024
/** Each recording is held in memory while it is sent. */
const atOnce = 2
const waitMs = 30_000

/** Transcribes recordings with the OpenAI-compatible server that a profile's config.yaml names, or with a model on this machine. */
export function createTranscription ({ settings, decode, local, fetch = guardedFetch }: TranscriptionOptions) {
  const enter = createLane(atOnce, waitMs, 'other recordings')

  return {
    async capability (profile: string): Promise<Capability> {
      const own = settings(profile)
      if (isLocal(own)) {
        return await local.isReady(own.config.stt?.model_dir)
          ? { available: true, provider: localProvider }
          : { available: false, provider: null }
      }
      const found = transcriberOf(own)
      return 'problem' in found ? { available: false, provider: null } : { available: true, provider: found.provider }
    },

    /**
     * Returns the text of a recording. Throws Unavailable (with what has to be configured), Invalid for what is not audio, RelayFailed when
     * the server does not answer with a text, and the errors of {@link Decoder} if it has to be decoded. With `onPartial` the server is
     * asked to stream partial texts; one that cannot answers as usual.
     */
    async transcribe (profile: string, { path, language }: Recording, signal: AbortSignal, onPartial?: Partial): Promise<string> {
      const found = settings(profile)
      const { stt = {} } = found.config
      if (isLocal(found)) {
        return await local.transcribe(stt.model_dir, {
          path, language: languageOf(language) ?? languageOf(stt.language ?? null)
        }, signal, onPartial)
      }
      const endpoint = transcriberOf(found)
      if ('problem' in endpoint) throw new Unavailable(endpoint.problem)
      const spoken = languageOf(language) ?? languageOf(stt.language ?? null)
      const leave = await enter()
      try {
        const bytes = await readFile(path)
        const format = await assertAudio(bytes)
        const isTaken = stt.audio !== 'wav' || format === wavFormat
        const { type, ending } = isTaken ? format : wavFormat
        const sound = isTaken ? bytes : await decode(bytes, format, signal)
        const body = new FormData()
        body.set('file', new Blob([new Uint8Array(sound.buffer as ArrayBuffer, sound.byteOffset, sound.length)], {
          type
        }), `recording.${ending}`)
        body.set('model', stt.model ?? usualModel)
        body.set('response_format', 'json')
        if (spoken !== null) body.set('language', spoken)
        const headers: Record<string, string> = endpoint.apiKey === null ? {} : { authorization: `Bearer ${endpoint.apiKey}` }
        const request = { endpoint, path: '/audio/transcriptions', headers, body, limitMs, maxBytes: maxAnswerBytes, signal }
        return onPartial === undefined ? await transcriptOf(fetch, request) : await liveTranscriptOf(fetch, request, onPartial)
      } finally {
        leave()
      }
    }
  }
}

export type Transcription = ReturnType<typeof createTranscription>

/** Returns the ISO 639-1 code, which transcription services accept, without script and region. Throws Invalid. */
function languageOf (tag: string | null): string | null {
  if (tag === null || tag.trim() === '') return null
  const language = languageTag.exec(tag.trim())?.[1]
  if (language === undefined) throw new Invalid('Invalid language: must be a language tag such as en or zh-CN')
  return language.toLowerCase()
}

type Request = SpeechRequest & { body: FormData }

async function transcriptOf (fetch: typeof globalThis.fetch, request: Request, onPartial: Partial = () => {}): Promise<string> {
  return await readSpeechService(fetch, request, async ({ type, chunks }) => {
    return (/^text\/event-stream\b/i.test(type) ? await readTranscriptEvents(chunks, onPartial) : transcriptIn(await wholeBody(chunks))).trim()
  })
}

async function liveTranscriptOf (fetch: typeof globalThis.fetch, request: Request, onPartial: Partial): Promise<string> {
  request.body.set('stream', 'true')
  try {
    return await transcriptOf(fetch, request, onPartial)
  } catch (error) {
    // Some servers refuse unknown fields.
    if (!(error instanceof SpeechRefused) || (error.status !== 400 && error.status !== 422)) throw error
    request.body.delete('stream')
    return await transcriptOf(fetch, request)
  }
}

function transcriptIn (answer: Buffer): string {
  try {
    const { text } = fieldsOf(JSON.parse(answer.toString()))
    if (typeof text === 'string') return text
  } catch {}
  throw new Garbled()
}
