import { type Socket } from 'node:net'
import type * as undici from 'undici'
import { type WebSocket } from 'undici'
import { RelayFailed } from '../../../ground/errors.js'
import { guardedConnector } from '../../../ground/network/guarded-connector.js'
import { timeLimit } from '../../../ground/time/time-limit.js'
import { audioFormat } from '../audio.js'
import { type Prosody } from '../prosody.js'
import { piecesOf } from '../spoken-text.js'
import { connectionTo, messagesFor, readMessage } from './protocol.js'

export interface OnlineVoiceOptions {
  clock: { now: () => number }
  /** The address to connect to; tests use a server of their own. */
  address?: string | undefined
  /** The limits until the first sound, and then between two sounds. */
  firstMs?: number
  nextMs?: number
  /** How long the online voices are not tried again after a failure. */
  pauseMs?: number
}

const usual = { firstMs: 2_000, nextMs: 5_000, pauseMs: 5 * 60_000 }
/** The limit for all pieces of a text together. */
const limitMs = 60_000
/** The service accepts about 4,000 bytes; Chinese characters have three each, escaped marks up to six. */
const pieceChars = 600
const maxMessageBytes = 1024 * 1024
/** More than half an hour at 48 kbit a second. */
const maxBytes = 16 * 1024 * 1024

const failed = (): RelayFailed => new RelayFailed('The online voice could not be reached, or its answer broke off')

/**
 * Speech by the online voices with which Edge reads pages: they need no key, but the text leaves this machine. Their operator may refuse at
 * any time, so the limits are short, and after a failure they are not tried for a while.
 */
export function createOnlineVoice ({
  clock, address, firstMs = usual.firstMs, nextMs = usual.nextMs, pauseMs = usual.pauseMs
}: OnlineVoiceOptions) {
  let pausedUntilMs = -Infinity

  return {
    /** Whether it makes sense to try: no request has failed recently. */
    isWorthAsking: (): boolean => clock.now() >= pausedUntilMs,

    /** Returns a text as MP3. Throws RelayFailed when the service fails, is too slow or breaks off, or the client has disconnected. */
    async speak (text: string, voice: string, prosody: Prosody, signal: AbortSignal): Promise<Buffer> {
      const limit = timeLimit(limitMs, [signal])
      try {
        const sounds: Buffer[] = []
        for (const piece of piecesOf(text, pieceChars)) sounds.push(await say(piece, voice, prosody, limit.signal))
        const sound = Buffer.concat(sounds)
        if ((await audioFormat(sound))?.type !== 'audio/mpeg') throw failed()
        return sound
      } catch (error) {
        // A disconnected client says nothing about the service.
        if (!signal.aborted) pausedUntilMs = clock.now() + pauseMs
        throw error
      } finally {
        limit.clear()
      }
    }
  }

  async function say (piece: string, voice: string, prosody: Prosody, signal: AbortSignal): Promise<Buffer> {
    if (signal.aborted) throw failed()
    const { url, headers } = connectionTo(clock.now(), address)
    // Loaded late, because the service does not need it at its start. Bundled, its exports are all on the default export, which its types
    // do not say.
    const { Agent, WebSocket } = (await import('undici')).default as unknown as typeof undici
    const connect = await guardedConnector({ allowAddress: () => true, allowName: () => true, isFixed: () => true, refuse: failed })
    let connection: Socket | null = null
    const agent = new Agent({
      webSocket: { maxPayloadSize: maxMessageBytes },
      connect: (options, done) => connect(options, (...result) => {
        connection = result[1]
        done(...result)
      })
    })
    const socket = new WebSocket(url, { headers, dispatcher: agent })
    socket.binaryType = 'arraybuffer'
    try {
      socket.addEventListener('open', () => { for (const message of messagesFor(piece, voice, prosody, clock.now())) socket.send(message) })
      return await soundOf(socket, signal)
    } finally {
      // A server that ignores the closing handshake would keep the connection open.
      (connection as Socket | null)?.destroy()
      void agent.destroy().catch(() => {})
    }
  }

  async function soundOf (socket: WebSocket, signal: AbortSignal): Promise<Buffer> {
    const sounds: Buffer[] = []
    let sizeBytes = 0
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise<Buffer>((resolve, reject) => {
        const fail = (): void => reject(failed())
        const within = (ms: number): void => {
          clearTimeout(timer)
          timer = setTimeout(fail, ms)
        }
        within(firstMs)
        signal.addEventListener('abort', fail, { once: true })
        socket.addEventListener('error', fail)
        socket.addEventListener('close', fail)
        socket.addEventListener('message', ({ data }: { data: unknown }) => {
          const message = typeof data === 'string' ? readMessage(data) : data instanceof ArrayBuffer ? readMessage(Buffer.from(data)) : null
          if (message === null) return fail()
          if ('sound' in message) {
            sizeBytes += message.sound.length
            if (sizeBytes > maxBytes) return fail()
            sounds.push(message.sound)
            if (sizeBytes > 0) within(nextMs)
          } else if (message.path === 'turn.end') {
            if (sizeBytes === 0) fail()
            else resolve(Buffer.concat(sounds))
          }
        })
      })
    } finally {
      clearTimeout(timer)
    }
  }
}

export type OnlineVoice = ReturnType<typeof createOnlineVoice>
