import { type chatFrames } from '../../../schemas/chat.js'
import { type RunEvent } from '../../agent/protocol.js'
import { framesOf, type NewFrame } from '../../ground/events/index.js'
import { StreamMask } from '../../ground/redaction/index.js'

const frame = framesOf<typeof chatFrames>()

type Printed = Extract<RunEvent, { t: 'tool_output' }>
/** `isCut`: the first piece began before a restart of the service. `droppedBytes`: how much of it was left out here. */
interface Told { mask: StreamMask, leftOutBytes: number, isCut: boolean, droppedBytes: number }

/**
 * Turns the output of running calls into frames. Credentials are masked as in the result, even if one is split across pieces. Text that is
 * held back because it could become a credential is lost if the output has a gap after it.
 */
export class CallOutputs {
  readonly #told = new Map<string, Told>()

  constructor (private readonly isMasked: () => boolean) {}

  /**
   * Restores calls that printed before a restart of the service. The text before their next piece is unknown, so they continue with the
   * next whole line: half of a credential would not be recognised.
   */
  restore (ids: Iterable<string>): void {
    for (const id of ids) this.#told.set(id, { mask: new StreamMask(), leftOutBytes: 0, isCut: true, droppedBytes: 0 })
  }

  /** Returns the frame of one piece, or none while all of it is held back. */
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

  /** Called when the call is over. */
  forget (id: string): void {
    this.#told.delete(id)
  }

  clear (): void {
    this.#told.clear()
  }
}
