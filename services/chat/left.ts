import { type CutShort, type ToldUsage, type ToolCall } from '../agent/protocol.js'
import { type Before, type Heard } from './live-text.js'
import { type TurnModel } from './turn-meter.js'

/** What a run has said or was told, and neither frame nor row tells; kept with its stream, as JSON. */
export interface HeldBack {
  text?: string
  reasoning?: string
  /** How many characters of what was heard are in the books. */
  counted?: number
  /** Why the last answer is not whole. */
  cut?: CutShort
  /** The models that were named to it besides its own. */
  models?: TurnModel[]
  /** Who has told of its usage. */
  source?: ToldUsage['source']
}

/** Calls that have no result yet. `position`: of the last row that made calls; `madeAt`: where each was made. */
export interface OpenCalls { position: number, calls: ToolCall[], madeAt?: Iterable<[string, number]> }

/** What a stop of the service has left of a turn whose run goes on elsewhere. */
export interface LeftOfRun {
  heard: Heard
  open: OpenCalls
  /** What is being told, as it was told. */
  told: Record<'token' | 'reasoning', Before>
  /** Text of the steps that are rows, and that of the last of them. */
  answer: string
  finalText: string
  finalMessageId: string | null
  firstTokenMs: number | null
  held: HeldBack
}
