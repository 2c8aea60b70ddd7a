import { createHash, randomUUID } from 'node:crypto'
import { type Prosody } from '../prosody.js'

// What is known of the protocol of Edge's "Read aloud", which Microsoft has not published. Its servers accept only clients that claim to be
// that browser; if they require a newer one, update `browserVersion`.

const address = 'wss://speech.platform.bing.com/consumer/speech/synthesize/readaloud/edge/v1'
/** The same in every copy of the browser: it identifies the program, not an account. */
const clientToken = '6A5AA1D4EAFF4E9FB37E23D68491D6F4'
const browserVersion = '143.0.3650.96'
const extension = 'chrome-extension://jdiccldimpdaibmpdkjnbmckianbfold'
/** Seconds from 1601, where Windows starts counting, to 1970. */
const windowsEpochS = 11_644_473_600
const stampS = 300
const ticksPerS = 10_000_000n
const soundFormat = 'audio-24khz-48kbitrate-mono-mp3'
const headersEnd = '\r\n\r\n'
/** The most that its clients ask for. */
const mostHz = 100
/** The pitch in Hz to which factors refer; see `readProsody`. */
const usualHz = 200

export interface Connection { url: string, headers: Record<string, string> }

/** Returns address and headers of a connection. `at`: another server, for tests. */
export function connectionTo (nowMs: number, at = address): Connection {
  const url = new URL(at)
  const [major] = browserVersion.split('.')
  for (const [name, value] of [['TrustedClientToken', clientToken], [
    'Sec-MS-GEC', stampAt(nowMs)
  ], ['Sec-MS-GEC-Version', `1-${browserVersion}`], ['ConnectionId', plainId()]] as const) url.searchParams.set(name, value)
  return {
    url: url.href,
    headers: {
      origin: extension,
      'user-agent': `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36 Edg/${major}.0.0.0`,
      'cache-control': 'no-cache',
      pragma: 'no-cache'
    }
  }
}

/** Valid for five minutes: the service refuses clients whose clocks differ more. */
export function stampAt (nowMs: number): string {
  const seconds = Math.floor(nowMs / 1_000) + windowsEpochS
  const ticks = BigInt(seconds - seconds % stampS) * ticksPerS
  return createHash('sha256').update(`${ticks}${clientToken}`).digest('hex').toUpperCase()
}

/** Returns the messages to be sent: the wanted format of the sound, and the text. */
export function messagesFor (text: string, voice: string, prosody: Prosody, nowMs: number): [string, string] {
  const stamp = new Date(nowMs).toISOString()
  const audio = { metadataoptions: { sentenceBoundaryEnabled: 'false', wordBoundaryEnabled: 'false' }, outputFormat: soundFormat }
  return [
    `X-Timestamp:${stamp}\r\nContent-Type:application/json; charset=utf-8\r\nPath:speech.config${headersEnd}${JSON.stringify({ context: { synthesis: { audio } } })}`,
    `X-RequestId:${plainId()}\r\nContent-Type:application/ssml+xml\r\nX-Timestamp:${stamp}\r\nPath:ssml${headersEnd}${ssml(text, voice, prosody)}`
  ]
}

function ssml (text: string, voice: string, { rate, pitch }: Prosody): string {
  const locale = voice.split('-').slice(0, 2).join('-')
  const change = `rate='${signed(100 * (rate - 1))}%' pitch='${signed(Math.max(-mostHz, Math.min(mostHz, usualHz * (pitch - 1))))}Hz' volume='+0%'`
  return `<speak version='1.0' xmlns='http://www.w3.org/2001/10/synthesis' xml:lang='${locale}'><voice name='${voice}'><prosody ${change}>${escaped(text)}</prosody></voice></speak>`
}

const signed = (change: number): string => `${change < 0 ? '-' : '+'}${Math.round(Math.abs(change))}`

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }
/** XML allows neither control characters nor unpaired surrogates. */
// eslint-disable-next-line no-control-regex -- control characters are what this is about
const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu
const escaped = (text: string): string => text.replaceAll(notInXml, ' ').replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign)

const plainId = (): string => randomUUID().replaceAll('-', '')

/** Parses a message of the server; null for an unknown one. Pure. */
export function readMessage (message: string | Buffer): { sound: Buffer } | { path: string } | null {
  if (typeof message === 'string') return { path: pathIn(message.slice(0, Math.max(0, message.indexOf(headersEnd)))) }
  // Two bytes give the length of the headers, and the sound follows directly.
  const start = message.length < 2 ? Infinity : 2 + message.readUInt16BE(0)
  if (start > message.length || pathIn(message.toString('latin1', 2, start)) !== 'audio') return null
  return { sound: message.subarray(start) }
}

const pathIn = (headers: string): string => /^Path:\s*(\S+)\s*$/im.exec(headers)?.[1]?.toLowerCase() ?? ''
