import { type chatFrames } from '../../../schemas/chat.js'
import { type RunEvent } from '../../agent/protocol.js'
import { framesOf, type NewFrame } from '../../ground/events/index.js'
import { StreamMask } from '../../ground/redaction/index.js'

const frame = framesOf<typeof chatFrames>()

type Printed = Extract<RunEvent, { t: 'tool_output' }>
/** `isCut`: what comes first began before a stop of the service; `droppedBytes`: so much of it was left out here. */
interface Told { mask: StreamMask, leftOutBytes: number, isCut: boolean, droppedBytes: number }

/**
 * What the calls of a turn print while they run, as frames: credentials are masked as they will be in the result, also where
 * one is cut across pieces. What is held back because it could become one is lost where the output has a gap behind it.
 */
export class CallOutputs {
  readonly #told = new Map<string, Told>()

  constructor (private readonly isMasked: () => boolean) {}

  /**
   * Calls that printed before a stop of the service, and may go on. What stood in front of their next piece is not known any
   * more, so they go on with a line: no half of a credential is told.
   */
  restore (ids: Iterable<string>): void {
    for (const id of ids) this.#told.set(id, { mask: new StreamMask(), leftOutBytes: 0, isCut: true, droppedBytes: 0 })
  }

  /** The frames of one piece: one, or none as long as all of it is held back. */
  say ({ id, text: printed, leftOutBytes: leftOut }: Printed): NewFrame[] {
    const told = this.#told.get(id) ?? { mask: new StreamMask(), leftOutBytes: 0, isCut: false, droppedBytes: 0 }
    this.#told.set(id, told)
    const text = told.isCut ? printed.slice(printed.indexOf('\n') + 1 || printed.length) : printed
    told.isCut &&= text === ''
    told.droppedBytes += Buffer.byteLength(printed) - Buffer.byteLength(text)
    const leftOutBytes = leftOut + told.droppedBytes
    const isCut = leftOutBytes !== told.leftOutBytes
    if (isCut) told.mask.end()
    told.leftOutBytes = leftOutBytes
    const shown = this.isMasked() ? told.mask.push(text) : told.mask.end() + text
    return shown === '' && !isCut
      ? []
      : [frame('tool_output', { id, tool_call_id: id, tid: id, text: shown, left_out_bytes: leftOutBytes })]
  }

  /** The call is over. */
  forget (id: string): void {
    this.#told.delete(id)
  }

  clear (): void {
    this.#told.clear()
  }
}
