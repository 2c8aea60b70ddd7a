import { type Limits } from '../budgets/index.js'
import { type NewFrame } from '../../ground/events/index.js'
import { isEffort, type Effort } from '../../providers/index.js'
import {
  type Attachment, type ClientWishes, type GoodEnd, type RunKind, type RunSpec, type Toolset,
  type UnacceptedCommand
} from '../../agent/protocol.js'

/** What a message asks for its own turn; absent = what the profile, or the conversation, has. */
export interface TurnWishes {
  /** Empty: the model's own. */
  effort?: Effort | '' | undefined
  /** Its name; empty: none. */
  personality?: string | undefined
}

export interface TurnInput extends TurnWishes {
  message: string
  /** What the model reads in the place of the message, which was a command; absent = the message. */
  expanded?: string
  /** The message was a command that a person has to accept first: `expanded` leaves out what it says. */
  unaccepted?: UnacceptedCommand | undefined
  attachments: Attachment[]
  model?: string
  modelProvider?: string
}

/** How a turn ended, for whoever had it run. */
export interface TurnOutcome {
  state: 'done' | 'failed' | 'cancelled'
  answer: string
  error?: string
  /** The kind of failure, as the turn's last frame names it. */
  errorType?: string
  /** For the log: what of the service went wrong, who was to answer, and how often they were asked in vain. */
  fault?: string
  host?: string | undefined
  attempts?: number | undefined
  /** It had to end, though nothing failed: the steps, or a budget, are used up. */
  ended?: GoodEnd
  /** Why an answer that stands is not whole. */
  cut?: string
}

/** Stores rows and returns the frames that belong to them; inside a transaction, and perhaps twice. */
export type Write = () => NewFrame[]

/** Runs a write and sends its frames; when the stream is closed by then, only the rows are written. */
export type Tell = (write: Write) => void

/** What makes one turn differ from another. */
export interface TurnPlan {
  kind: RunKind
  /** Null when it goes on where a stop of the service had interrupted it. */
  input: TurnInput | null
  wishes?: TurnWishes
  resume?: RunSpec['resume']
  toolset: Toolset
  /** The session whose permissions it has and where its prompts are shown: its own, or the one it works for. */
  promptsIn: string
  /** Somebody is there to be asked. */
  attended: boolean
  /** The session with whose conversation it begins, instead of its own. */
  reads?: string
  /** The stream of the turn that it works for, whose budget it uses; absent = it stands for itself. */
  serves?: string
  /** A budget that it uses besides those of its turn, its conversation and its day; absent limits are the profile's for such ones. */
  budget?: { scope: 'attempts' | 'job', id: string, limits?: Limits }
  /** How many model calls it may make; absent = the service's limit. */
  steps?: number
  /** What the program that has sent its message wants beside an answer. */
  client?: ClientWishes
  /** It waits for no limit of a provider: whoever has it run is told of that. */
  endsAtLimit?: true
  /** Whoever has it run waits for its answer, and is gone when the service stops: it does not begin after that. */
  isAwaited?: true
  /** Its first host is gone, and nothing was heard of its run. */
  isRelaunched?: true
  /** It reaches a host when this resolves. */
  slot?: Promise<void>
  /** Its answer is thrown away with its session: `done` says so, and carries it. */
  ephemeral?: boolean
  ended?: (outcome: TurnOutcome) => void
}

/** Whether a turn may wait for the limit of a provider to pass. What runs beside a conversation is waited for by somebody else. */
export const waitsForLimits = ({ kind, endsAtLimit }: Pick<TurnPlan, 'kind' | 'endsAtLimit'>): boolean =>
  ['chat', 'goal', 'cron'].includes(kind) && endsAtLimit !== true

/** What a turn that no host was given yet needs, beside its message, to begin after a stop of the service. */
export interface Unbegun { model?: string, modelProvider?: string, attended: boolean }

/**
 * Null: where the service stops before it has begun, it ends. Nobody waits any more for the answer of a request to `/v1` that is not in
 * the background, nor of a sub-agent: it ends with the call that it works for.
 */
export function unbegunOf ({ kind, input, attended, isAwaited }: TurnPlan, wanted: Pick<TurnInput, 'model' | 'modelProvider'>): Unbegun | null {
  // What a command says that is still to be accepted is nowhere else.
  if (kind === 'delegate' || input === null || input.unaccepted !== undefined || isAwaited === true) return null
  const { model, modelProvider } = wanted
  return { attended, ...(model === undefined ? {} : { model }), ...(modelProvider === undefined ? {} : { modelProvider }) }
}

/** Turns that may go on when the service stops: nothing in its memory waits for them that could not be made again. */
export const outliving: readonly RunKind[] = ['chat', 'goal', 'cron', 'btw', 'background']

/** What makes a turn beside a conversation different from a message. */
export type BesidePlan = Pick<TurnPlan, 'toolset' | 'promptsIn' | 'attended' | 'ephemeral' | 'reads' | 'slot' | 'steps' | 'ended'>

/** The same for one that begins, or goes on, after a stop of the service; null: nobody waits for it any more. */
export type PlanAgain = (stream: { streamId: string, sessionId: string }) => BesidePlan | null

/** Reads wishes from a row. */
export const wishesIn = ({ effort, personality }: { effort: string | null, personality: string | null }): TurnWishes => ({
  ...(effort === '' || isEffort(effort) ? { effort } : {}), ...(personality === null ? {} : { personality })
})

/** A person's message in a conversation. */
export function chatPlan (sessionId: string, input: TurnInput): TurnPlan {
  const { effort, personality } = input
  return { kind: 'chat', input, wishes: { effort, personality }, toolset: 'all', promptsIn: sessionId, attended: true }
}
