import { isRecord } from '../../ground/fields.js'
import { type Guest } from './guest.js'

/** The most of a body that one message carries; servers accept a mebibyte by default. */
export const pieceBytes = 256 * 1_024
/** Answers up to this size are sent together with their head. */
export const inlineBytes = 960 * 1_024

/** The service's messages to a machine about one relayed request; each is answered with a `RelayReply`. */
export type RelayMessage = { id: string } & (
  /** Begins the request. `streamed`: its body follows in pieces; otherwise the bytes of this message are the whole body. */
  | { kind: 'begin', method: string, url: string, headers: Record<string, string>, guest: Guest, streamed: boolean }
  /** The next bytes of the request's body. `again`: asks what became of a piece that was sent. */
  | { kind: 'piece', number: number, last: boolean, again?: boolean }
  /** Asks for the answer. */
  | { kind: 'answer' }
  /** Asks for the next bytes of the answer's body. */
  | { kind: 'read', number: number }
  /** A client still waits for the answer. */
  | { kind: 'hold' }
  /** No client waits for the answer any more. */
  | { kind: 'stop' })

export type RelayReply =
  /** Not ready: ask again. */
  | { state: 'pending' }
  /** The piece was accepted. */
  | { state: 'taken' }
  /** The answer is ready, and the rest of the request's body is not needed. */
  | { state: 'enough' }
  /** The answer's head, with the first bytes of its body, or all of it. */
  | { state: 'answer', status: number, headers: Record<string, string>, last: boolean }
  | { state: 'bytes', last: boolean }
  /** The request is unknown here, was lost, or broke off. */
  | { state: 'lost' }
  /** Too many other requests are in progress. */
  | { state: 'busy' }

/** Encodes a message: a head as JSON, followed by raw bytes. */
export function encode (head: RelayMessage | RelayReply, bytes: Uint8Array = new Uint8Array(0)): Uint8Array {
  const text = Buffer.from(JSON.stringify(head))
  const message = Buffer.allocUnsafe(4 + text.length + bytes.length)
  message.writeUInt32BE(text.length, 0)
  text.copy(message, 4)
  message.set(bytes, 4 + text.length)
  return message
}

/** Decodes what `encode` produced. The head is only known to be an object. Throws for anything else. */
export function decode (message: Uint8Array): { head: Record<string, unknown>, bytes: Buffer } {
  const whole = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
  const headBytes = whole.length < 4 ? Infinity : whole.readUInt32BE(0)
  if (headBytes > whole.length - 4) throw new Error('A message ends before its head does')
  const head: unknown = JSON.parse(whole.subarray(4, 4 + headBytes).toString())
  if (!isRecord(head)) throw new Error('The head of a message is no object')
  return { head, bytes: whole.subarray(4 + headBytes) }
}
