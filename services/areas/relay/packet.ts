import { isRecord } from '../../ground/fields.js'
import { type Guest } from './guest.js'

/** The most of a body that one message takes along; servers take a mebibyte unless they are told otherwise. */
export const pieceBytes = 256 * 1_024
/** Answers up to this are sent with their head. */
export const inlineBytes = 960 * 1_024

/** What the service says to a machine about one relayed request; each is answered with a `Said`. */
export type Asked = { id: string } & (
  /** Here it is; `streamed`: its body comes as pieces. The bytes beside it are the whole body otherwise. */
  | { kind: 'begin', method: string, url: string, headers: Record<string, string>, guest: Guest, streamed: boolean }
  /** The next bytes of its body; `again`: what has become of them? */
  | { kind: 'piece', number: number, last: boolean, again?: boolean }
  /** What is the answer? */
  | { kind: 'answer' }
  /** The next bytes of the answer's body, please. */
  | { kind: 'read', number: number }
  /** Somebody still waits for it. */
  | { kind: 'hold' }
  /** Nobody does. */
  | { kind: 'stop' })

export type Said =
  /** Not yet: ask again. */
  | { state: 'pending' }
  /** The piece is taken. */
  | { state: 'taken' }
  /** The answer is there, and no more of the body is wanted. */
  | { state: 'enough' }
  /** The first bytes of the body, or all of it, are beside it. */
  | { state: 'answer', status: number, headers: Record<string, string>, last: boolean }
  | { state: 'bytes', last: boolean }
  /** It is not known here, was lost, or broke off. */
  | { state: 'lost' }
  /** Too much else is going on. */
  | { state: 'busy' }

/** A message: a head as JSON, and bytes beside it as they are. */
export function encode (head: Asked | Said, bytes: Uint8Array = new Uint8Array(0)): Uint8Array {
  const text = Buffer.from(JSON.stringify(head))
  const message = Buffer.allocUnsafe(4 + text.length + bytes.length)
  message.writeUInt32BE(text.length, 0)
  text.copy(message, 4)
  message.set(bytes, 4 + text.length)
  return message
}

/** What `encode` was given. Nothing is certain of the head but that it is an object. Throws for everything else. */
export function decode (message: Uint8Array): { head: Record<string, unknown>, bytes: Buffer } {
  const whole = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
  const headBytes = whole.length < 4 ? Infinity : whole.readUInt32BE(0)
  if (headBytes > whole.length - 4) throw new Error('A message ends before its head does')
  const head: unknown = JSON.parse(whole.subarray(4, 4 + headBytes).toString())
  if (!isRecord(head)) throw new Error('The head of a message is no object')
  return { head, bytes: whole.subarray(4 + headBytes) }
}
