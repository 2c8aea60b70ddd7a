import { type Readable } from 'node:stream'
import { pieceBytes, type RelayMessage } from './packet.js'

interface DecodedReply { head: Record<string, unknown>, bytes: Buffer }

export interface RequestBodyOptions {
  /** Identifies the request to the machine. */
  id: string
  ask: (asked: RelayMessage, bytes?: Uint8Array) => Promise<DecodedReply>
  brokenOff: () => Error
}

/** How many pieces of an upload are in transit at once. */
const piecesAhead = 4

/** Passes on the body of a request, several pieces at a time. Ends early if the machine has its answer. */
export async function passOn (body: Buffer | Readable, { id, ask, brokenOff }: RequestBodyOptions): Promise<void> {
  const underWay: Array<Promise<boolean>> = []
  let number = 0
  /** Returns false if the machine needs no more pieces. */
  const deliver = async (piece: Extract<RelayMessage, { kind: 'piece' }>, bytes: Buffer): Promise<boolean> => {
    const { head: { state } } = await untilAnswered(async (isAgain) =>
      isAgain ? await ask({ ...piece, again: true }) : await ask(piece, bytes))
    if (state === 'taken' || state === 'enough') return state === 'taken'
    throw brokenOff()
  }
  const send = (bytes: Buffer, last: boolean): void => {
    const taken = deliver({ id, kind: 'piece', number: number++, last }, bytes)
    // Its rejection is handled when its turn comes.
    taken.catch(() => {})
    underWay.push(taken)
  }
  const room = async (): Promise<boolean> => underWay.length < piecesAhead || (await underWay.shift() ?? true)
  for await (const piece of piecesOf(Buffer.isBuffer(body) ? [body] : body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)) {
    if (!await room()) return
    send(piece, false)
  }
  send(Buffer.alloc(0), true)
  await Promise.all(underWay)
}

/** Asks again for as long as the machine is still working. */
export async function untilAnswered (question: (isAgain: boolean) => Promise<DecodedReply>): Promise<DecodedReply> {
  let said = await question(false)
  while (said.head['state'] === 'pending') said = await question(true)
  return said
}

/** Yields the same bytes in chunks no larger than a piece. */
async function * piecesOf (body: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += pieceBytes) yield chunk.subarray(start, start + pieceBytes)
  }
}
