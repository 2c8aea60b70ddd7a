import { RelayFailed } from '../../ground/errors.js'
import { present } from '../../ground/present.js'
import { type ProfileSettings } from '../profiles/index.js'
import { audioFormat } from './audio.js'
import { type SpeechEndpoint } from './endpoint.js'
import { type Prosody } from './prosody.js'
import { piecesOf } from './spoken-text.js'
import { askSpeechService } from './upstream.js'

/** A complete spoken text. */
export interface Sound { bytes: Buffer, type: string }

type Fetch = typeof globalThis.fetch
type SpeechSettings = NonNullable<ProfileSettings['config']['tts']>

export interface SpeechRequest { text: string, prosody: Prosody, signal: AbortSignal }

const limitMs = 120_000
/** An hour and a half of speech at 128 kbit a second. */
const maxBytes = 96 * 1024 * 1024

/** The limit of one request (4,096 characters), with room for characters of two UTF-16 units. */
const openaiChars = 4_000
const openaiModel = 'tts-1'
const openaiVoice = 'alloy'

/**
 * Speaks through OpenAI's interface, which has a speed but no pitch. A long text takes two requests: frames of MP3 can be concatenated.
 */
export async function speakByOpenai (
  fetch: Fetch, endpoint: SpeechEndpoint, settings: SpeechSettings, { text, prosody, signal }: SpeechRequest
): Promise<Sound> {
  const { model = settings.model ?? openaiModel, voice = settings.voice ?? openaiVoice } = settings.openai ?? {}
  const headers: Record<string, string> = {
    'content-type': 'application/json', ...(endpoint.apiKey !== null && { authorization: `Bearer ${endpoint.apiKey}` })
  }
  const sounds: Sound[] = []
  for (const input of piecesOf(text, openaiChars)) {
    const body = JSON.stringify({ model, voice, input, response_format: 'mp3', ...(prosody.rate !== 1 && { speed: prosody.rate }) })
    sounds.push(
      await soundOf(endpoint, await askSpeechService(fetch, { endpoint, path: '/audio/speech', headers, body, limitMs, maxBytes, signal }))
    )
  }
  const { type } = present(sounds[0], 'the sound')
  if (sounds.length > 1 && sounds.some((sound) => sound.type !== 'audio/mpeg')) {
    throw new RelayFailed(`${endpoint.name} cannot return MP3, which this long text needs. Shorten the text.`)
  }
  return { bytes: Buffer.concat(sounds.map(({ bytes }) => bytes)), type }
}

const elevenlabsModel = 'eleven_multilingual_v2'
const elevenlabsVoice = 'JBFqnCBsd6RMkjVDRZzb'
const slowest = 0.7
const fastest = 1.2

/** Speaks through ElevenLabs, whose speed ranges from 0.7 to 1.2, and which has no pitch. */
export async function speakByElevenlabs (
  fetch: Fetch, endpoint: SpeechEndpoint, settings: SpeechSettings, { text, prosody, signal }: SpeechRequest
): Promise<Sound> {
  const { model = settings.model ?? elevenlabsModel, voice = settings.voice ?? elevenlabsVoice } = settings.elevenlabs ?? {}
  const headers: Record<string, string> = {
    'content-type': 'application/json', accept: 'audio/mpeg', ...(endpoint.apiKey !== null && { 'xi-api-key': endpoint.apiKey })
  }
  const speed = Math.min(fastest, Math.max(slowest, prosody.rate))
  const body = JSON.stringify({ text, model_id: model, ...(speed !== 1 && { voice_settings: { speed } }) })
  const path = `/v1/text-to-speech/${encodeURIComponent(voice)}?output_format=mp3_44100_128`
  return await soundOf(endpoint, await askSpeechService(fetch, { endpoint, path, headers, body, limitMs, maxBytes, signal }))
}

/** Detects the type from the bytes: the server's own claim is not trusted, because the sound is passed on to browsers. */
async function soundOf ({ name }: SpeechEndpoint, bytes: Buffer): Promise<Sound> {
  const format = await audioFormat(bytes)
  if (format === undefined) throw new RelayFailed(`${name} sent something other than audio.`)
  return { bytes, type: format.type }
}
