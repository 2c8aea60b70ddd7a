import { type Socket } from 'node:net'
import type * as undici from 'undici'
import { type WebSocket } from 'undici'
import { RelayFailed } from '../../../ground/errors.js'
import { guardedConnector } from '../../../ground/guarded-connector.js'
import { timeLimit } from '../../../ground/time-limit.js'
import { audioFormat } from '../audio.js'
import { type Prosody } from '../prosody.js'
import { piecesOf } from '../spoken-text.js'
import { connectionTo, messagesFor, readMessage } from './protocol.js'

export interface OnlineVoiceOptions {
  clock: { now: () => number }
  /** Where it connects to; tests name a server of their own. */
  address?: string | undefined
  /** Until the first sound has come; then between two of them. */
  firstMs?: number
  nextMs?: number
  /** For so long nobody asks again after it has failed. */
  pauseMs?: number
}

const usual = { firstMs: 2_000, nextMs: 5_000, pauseMs: 5 * 60_000 }
/** Of all pieces of a text together. */
const limitMs = 60_000
/** It takes some 4,000 bytes; Chinese characters have three each, marks up to six. */
const pieceChars = 600
const maxMessageBytes = 1024 * 1024
/** Half an hour at 48 kbit a second, and more. */
const maxBytes = 16 * 1024 * 1024

const failed = (): RelayFailed => new RelayFailed('The online voice could not be reached, or its answer broke off')

/**
 * Speech by the online voices that Edge reads pages with: no key, but the text leaves this machine. Whoever runs it may refuse at any time,
 * so all is given up quickly, and after a failure nobody is asked for a while.
 */
export function createOnlineVoice ({
  clock, address, firstMs = usual.firstMs, nextMs = usual.nextMs, pauseMs = usual.pauseMs
}: OnlineVoiceOptions) {
  let pausedUntilMs = -Infinity

  return {
    /** Whether it is worth asking: it has not failed a moment ago. */
    isWorthAsking: (): boolean => clock.now() >= pausedUntilMs,

    /** A text as MP3. Throws RelayFailed when it fails, is too slow, breaks off, or nobody waits any more. */
    async speak (text: string, voice: string, prosody: Prosody, signal: AbortSignal): Promise<Buffer> {
      const limit = timeLimit(limitMs, [signal])
      try {
        const sounds: Buffer[] = []
        for (const piece of piecesOf(text, pieceChars)) sounds.push(await say(piece, voice, prosody, limit.signal))
        const sound = Buffer.concat(sounds)
        if ((await audioFormat(sound))?.type !== 'audio/mpeg') throw failed()
        return sound
      } catch (error) {
        // Whoever hangs up says nothing about the service.
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
    // Not at the start of the service, which has no need of it.
    // Bundled, it has everything as its default; some readers of its types do not know that.
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
      // A server that does not take part in the farewell would keep the connection.
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
