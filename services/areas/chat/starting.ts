import { withAttachmentNames } from '../../ground/attached.js'
import { type Attachment, type ToolCall } from '../../agent/protocol.js'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Conflict } from '../../ground/errors.js'
import { redactAhead } from '../../ground/redaction/index.js'
import { messageId as newMessageId, streamId as newStreamId } from '../../ground/ids.js'
import { type ChosenModel, type ModelChoice } from '../models/index.js'
import { untitled, type MessageFields, type SessionRow, type Sessions } from '../sessions/index.js'
import { TurnGate } from './gate.js'
import { provisionalTitle } from './provisional-title.js'
import { type TurnStore } from './rows.js'
import { TurnRows } from './turn-rows.js'
import { type TurnLife } from './turn-life.js'
import { unbegunOf, type TurnInput, type TurnPlan } from './turn-plan.js'
import { type TurnAbove, type TurnTraces } from './turn-traces.js'
import { type Turns } from './turns.js'

export interface StartedTurn {
  streamId: string
  sessionId: string
  startedAtS: number
  title: string
  model: ChosenModel | null
}

/** A turn to be opened, whatever it is for. */
export interface OpenInput {
  /** The session it runs in; called inside the transaction that stores its message, so it may make one. */
  session: () => SessionRow
  input: TurnInput
  plan: (session: SessionRow) => TurnPlan
  /** Results of calls of the conversation's last turn; with them, or behind `goesOn`, the message may be empty, and has no row then. */
  results?: readonly CallResult[]
  /** The conversation ends with results of calls already. */
  goesOn?: true
  /** Keys of the message's row beside its text. */
  fields?: MessageFields
  /** Runs inside the transaction; what it throws undoes everything. */
  alongside?: (opened: { session: SessionRow, streamId: string }) => void
  /** Told of the turn at the end of that transaction; its model is not known yet. */
  accepted?: ((started: StartedTurn) => void) | undefined
  /** The turn that it works for, where that is traced. */
  under?: TurnAbove
  /** The service begins it by itself: it waits while no turn may begin, which for what a person begins is refused. */
  waits?: boolean
}

/** What came of a call that was handed to the program that had sent the message; `position`: that of the row which made it. */
export interface CallResult { call: ToolCall, position: number, text: string }

export interface StartsOptions {
  db: Database
  clock: Clock
  sessions: Sessions
  store: TurnStore
  chooseModel: (session: Pick<SessionRow, 'profile' | 'workspace'>, wanted: { model?: string, provider?: string }) => Promise<ModelChoice>
  /** Throws NotFound for a profile that is not there any more: its conversations go on with nobody else's keys. */
  assertProfile: (profile: string) => void
  traces: TurnTraces | null
}

/** A turn that lives, and the model that it is to get. */
export interface BegunTurn { turn: TurnLife, chosen: Promise<ModelChoice> }

/** How long the answer of a start waits for the name of the model. */
const effectiveModelWaitMs = 1_000

/** Accepts messages and makes turns of them. */
export class TurnStarts {
  /** Streams whose message is being stored: they have no turn yet, and are no orphans. */
  readonly #accepting = new Map<string, { profile: string | null }>()

  readonly gate = new TurnGate()

  constructor (readonly turns: Turns, readonly options: StartsOptions) {}

  isAccepting (streamId: string): boolean {
    return this.#accepting.has(streamId)
  }

  /** How many messages are being stored. */
  accepting (): number {
    return this.#accepting.size
  }

  /** Whether a message of this profile is being stored. */
  isAcceptingIn (profile: string): boolean {
    return [...this.#accepting.values()].some((accepted) => accepted.profile === profile)
  }

  /**
   * Stores the message, its stream and whatever belongs to it in one transaction; all of it is on disk when this resolves.
   * Throws Unavailable (`restarting`) while no turn may begin.
   */
  async open (opened: OpenInput): Promise<BegunTurn> {
    while (this.gate.isHeld) {
      if (opened.waits !== true) throw this.gate.refusal()
      await this.gate.released()
    }
    const streamId = newStreamId()
    const startedAtS = epochSeconds(this.options.clock)
    const trace = this.options.traces?.begin(opened.under) ?? null
    this.#accepting.set(streamId, { profile: null })
    try {
      // What the transaction stores and tells is masked there, where nothing can wait.
      await redactAhead([opened.input.message, ...(opened.results ?? []).map(({ text }) => text)])
      const { session, plan, generation } = await this.options.db.durably(() => this.#store(opened, { streamId, startedAtS, trace }))
      const chosen = this.chooseModel(session, opened.input)
      const turn = this.turns.add({
        streamId, sessionId: session.id, profile: session.profile, startedAtS, promptsIn: plan.promptsIn, trace
      }, generation, plan)
      this.turns.begin(turn, chosen)
      return { turn, chosen }
    } finally {
      this.#accepting.delete(streamId)
    }
  }

  /** What the start answers; it waits a moment for the name of the model. */
  async answer ({ turn, chosen }: BegunTurn): Promise<StartedTurn> {
    const choice = await Promise.race([chosen, new Promise<null>((resolve) => setTimeout(resolve, effectiveModelWaitMs, null).unref())])
    return {
      streamId: turn.streamId,
      sessionId: turn.sessionId,
      startedAtS: turn.startedAtS,
      title: this.#titleOf(turn.sessionId),
      model: choice === null || 'error' in choice ? null : choice
    }
  }

  /** The start's answer of a live turn that was begun with this very message; null when there is none. */
  async already (sessionId: string, message: string, kind: TurnPlan['kind']): Promise<StartedTurn | null> {
    const { sessions } = this.options
    const turn = this.turns.ofSession(sessionId)
    const input = turn?.plan.input ?? null
    if (turn === undefined || input === null || turn.plan.kind !== kind) return null
    // Clients send a message again as it was shown to them.
    if (input.message !== message && sessions.shown(input.message) !== message) return null
    return await this.answer({ turn, chosen: this.chooseModel(sessions.get(sessionId), input) })
  }

  /** What the message names, be it a provider alone; else what the session has, else the profile's default. */
  chooseModel (session: SessionRow, input: Pick<TurnInput, 'model' | 'modelProvider'>): Promise<ModelChoice> {
    const { model, modelProvider } = session
    return this.options.chooseModel(session, input.model === undefined && input.modelProvider === undefined
      ? { model: model ?? undefined, provider: modelProvider ?? undefined }
      : { model: input.model, provider: input.modelProvider })
  }

  /** Its own session is in plan mode, or the conversation or the turn that it works for. */
  #isPlanning (sessionId: string, { promptsIn, serves }: TurnPlan): boolean {
    const { sessions, store } = this.options
    return [sessionId, promptsIn].some((id) => sessions.rows.find(id)?.mode === 'plan') || (serves !== undefined && store.isPlanning(serves))
  }

  #titleOf (sessionId: string): string {
    const { sessions } = this.options
    return sessions.rowToWire(sessions.get(sessionId)).title
  }

  #store (
    {
      session: sessionOf, input: { message, expanded = message, attachments, ...wanted }, plan: planOf, results = [], fields, alongside,
      accepted
    }: OpenInput, { streamId, startedAtS, trace }: { streamId: string, startedAtS: number, trace: string | null }
  ) {
    const { sessions, store } = this.options
    const session = sessionOf()
    this.options.assertProfile(session.profile)
    this.#accepting.set(streamId, { profile: session.profile })
    const plan = planOf(session)
    const active = store.activeStream(session.id)
    if (active !== undefined) throw new Conflict('session already has an active stream', undefined, { active_stream_id: active })
    alongside?.({ session, streamId })
    if (session.titleSource === 'untitled') sessions.rows.nameProvisionally(session.id, provisionalTitle(message) || untitled)
    const generation = sessions.rows.nextGeneration(session.id)
    const rows = new TurnRows({ streamId, sessionId: session.id }, this.options)
    for (const { call, position, text } of results) rows.result(call, position, text)
    const lastId = (): string | undefined => sessions.transcript.idAt(session.id, sessions.get(session.id).messageCount - 1)
    const messageId = plan.input === null ? lastId() ?? null : newMessageId()
    store.open({
      streamId, sessionId: session.id, kind: plan.kind, generation, userMessageId: messageId, startedAtS,
      isPlanning: this.#isPlanning(session.id, plan), unbegun: unbegunOf(plan, wanted), trace, ...plan.wishes
    })
    if (messageId !== null && plan.input !== null) {
      sessions.transcript.append(session.id, startedAtS, {
        role: 'user',
        content: message,
        messageId,
        streamId,
        fields: { ...(attachments.length === 0 ? {} : { attachments: attachments.map(attachmentToWire) }), ...fields },
        replay: { role: 'user', content: [{ type: 'text', text: withAttachmentNames(expanded, attachments) }] }
      })
    }
    sessions.changed('turn_started', session.id)
    accepted?.({ streamId, sessionId: session.id, startedAtS, title: this.#titleOf(session.id), model: null })
    return { session, plan, generation }
  }
}

/** A file of a message, as messages have it. */
export function attachmentToWire ({ name, path, mime, size, isImage }: Attachment) {
  return { name, path, mime, size, is_image: isImage }
}
