import { withAttachmentNames } from '../../ground/attachment-names.js'
import { type Attachment, type ToolCall } from '../../agent/protocol.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Conflict, NotFound } from '../../ground/errors.js'
import { messageId as newMessageId, streamId as newStreamId } from '../../ground/ids.js'
import { type ChosenModel, type ModelChoice } from '../models/index.js'
import { BeingRemoved, prepareRows, untitled, type MessageFields, type SessionRow, type Sessions } from '../sessions/index.js'
import { TurnGate } from './turn-gate.js'
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

/** A turn to be opened, of any kind. */
export interface OpenInput {
  /** Returns the session of the turn. Called inside the transaction that stores its message, so it may create the session. */
  session: () => SessionRow
  input: TurnInput
  plan: (session: SessionRow) => TurnPlan
  /** Results of calls of the conversation's last turn. With them, or with `goesOn`, the message may be empty, and then has no row. */
  results?: readonly CallResult[]
  /** The conversation already ends with results of calls. */
  goesOn?: true
  /** Columns of the message's row besides its text. */
  fields?: MessageFields
  /** Runs inside the transaction; an error that it throws undoes everything. */
  alongside?: (opened: { session: SessionRow, streamId: string }) => void
  /** Called with the turn at the end of that transaction; its model is not known yet. */
  accepted?: ((started: StartedTurn) => void) | undefined
  /** The turn that it works for, if that is traced. */
  under?: TurnAbove
  /** For turns that the service begins: they wait while no turn may begin. Without it, the turn is refused then. */
  waits?: boolean
}

/** The result of a call that was left to the client program. `position`: that of the row with the call. */
export interface CallResult { call: ToolCall, position: number, text: string }

export interface StartsOptions {
  db: Database
  clock: Clock
  sessions: Sessions
  store: TurnStore
  chooseModel: (session: Pick<SessionRow, 'profile' | 'workspace'>, wanted: { model?: string, provider?: string }) => Promise<ModelChoice>
  /** Throws NotFound for a profile that no longer exists: its conversations must not continue with another profile's keys. */
  assertProfile: (profile: string) => void
  traces: TurnTraces | null
}

/** A live turn, and the model that is being chosen for it. */
export interface BegunTurn { turn: TurnLife, chosen: Promise<ModelChoice> }

/** How long the answer to a start waits for the name of the model. */
const effectiveModelWaitMs = 1_000

/** Stores what begins a turn, and begins it: the step that both doors of `createChat` lead to. */
export class TurnStarts {
  /** Streams whose message is being stored: they have no turn yet, but are no orphans. */
  readonly #accepting = new Map<string, { profile: string | null }>()

  readonly gate = new TurnGate()

  constructor (readonly turns: Turns, readonly options: StartsOptions) {}

  isAccepting (streamId: string): boolean {
    return this.#accepting.has(streamId)
  }

  /** Returns how many messages are being stored. */
  accepting (): number {
    return this.#accepting.size
  }

  /** Whether a message of this profile is being stored. */
  isAcceptingIn (profile: string): boolean {
    return [...this.#accepting.values()].some((accepted) => accepted.profile === profile)
  }

  /**
   * Stores the message, its stream and everything that belongs to them in one transaction; all of it is on disk when this resolves. Throws
   * Unavailable (`restarting`) while no turn may begin, and BeingRemoved while its worktree is being removed. With `waits` it waits for
   * both, and throws NotFound (`workspace_missing`) if the turn could have begun only in the worktree that is gone.
   */
  async open (opened: OpenInput): Promise<BegunTurn> {
    let gone: string | null = null
    for (;;) {
      while (this.gate.isHeld) {
        if (opened.waits !== true) throw this.gate.refusal()
        await this.gate.released()
      }
      try {
        return await this.#begin(opened, gone)
      } catch (error) {
        if (!(error instanceof BeingRemoved) || opened.waits !== true) throw error
        gone = await error.removed ? error.folder : null
      }
    }
  }

  /** `gone`: the folder of a worktree whose removal this turn has waited for. */
  async #begin (opened: OpenInput, gone: string | null): Promise<BegunTurn> {
    const streamId = newStreamId()
    const startedAtS = epochSeconds(this.options.clock)
    const trace = this.options.traces?.begin(opened.under) ?? null
    this.#accepting.set(streamId, { profile: null })
    try {
      // The transaction masks and encodes what it stores and publishes. It cannot wait, so that is done before it for long texts.
      const { message, expanded = message, attachments } = opened.input
      await prepareRows([message, ...(opened.results ?? []).map(({ text }) => text)], withAttachmentNames(expanded, attachments))
      const { session, plan, generation } = await this.options.db.durably(() => this.#store(opened, { streamId, startedAtS, trace, gone }))
      const chosen = this.chooseModel(session, opened.input)
      const turn = this.turns.add({
        streamId, sessionId: session.id, profile: session.profile, startedAtS, promptsIn: plan.promptsIn, trace
      }, generation, plan)
      this.turns.launch(turn, chosen)
      return { turn, chosen }
    } finally {
      this.#accepting.delete(streamId)
    }
  }

  /** Returns the answer to the start. Waits a moment for the name of the model. */
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

  /** Returns what the start of a live turn with this same message answered; null if there is none. */
  async already (sessionId: string, message: string, kind: TurnPlan['kind']): Promise<StartedTurn | null> {
    const { sessions } = this.options
    const turn = this.turns.ofSession(sessionId)
    const input = turn?.plan.input ?? null
    if (turn === undefined || input === null || turn.plan.kind !== kind) return null
    // Clients repeat a message as it was shown to them.
    if (input.message !== message && sessions.shown(input.message) !== message) return null
    return await this.answer({ turn, chosen: this.chooseModel(sessions.get(sessionId), input) })
  }

  /** Chooses the model that the message names, even by its provider alone; otherwise the session's, or else the profile's default. */
  chooseModel (session: SessionRow, input: Pick<TurnInput, 'model' | 'modelProvider'>): Promise<ModelChoice> {
    const { model, modelProvider } = session
    return this.options.chooseModel(session, input.model === undefined && input.modelProvider === undefined
      ? { model: model ?? undefined, provider: modelProvider ?? undefined }
      : { model: input.model, provider: input.modelProvider })
  }

  /** Whether its session is in plan mode, or the conversation or turn that it works for. */
  #isPlanning (sessionId: string, { promptsIn, serves }: TurnPlan): boolean {
    const { sessions, store } = this.options
    return [...new Set([sessionId, promptsIn])].some((id) => sessions.rows.find(id)?.mode === 'plan') ||
      (serves !== undefined && store.isPlanning(serves))
  }

  #titleOf (sessionId: string): string {
    const { sessions } = this.options
    return sessions.shown(sessions.get(sessionId).title)
  }

  #store (
    {
      session: sessionOf, input: { message, expanded = message, attachments, ...wanted }, plan: planOf, results = [], fields, alongside,
      accepted
    }: OpenInput,
    { streamId, startedAtS, trace, gone }: { streamId: string, startedAtS: number, trace: string | null, gone: string | null }
  ) {
    const { sessions, store } = this.options
    const session = sessionOf()
    this.options.assertProfile(session.profile)
    sessions.worktrees.assertStays(session.workspace)
    this.#accepting.set(streamId, { profile: session.profile })
    const plan = planOf(session)
    const active = store.activeStream(session.id)
    if (active !== undefined) throw new Conflict('session already has an active stream', undefined, { active_stream_id: active })
    alongside?.({ session, streamId })
    // Asked after the caller, who may mean another folder by now.
    if (session.workspace === gone) throw new NotFound('The worktree that this was to work in was removed', 'workspace_missing')
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

/** Returns an attachment as the wire has it. */
export function attachmentToWire ({ name, path, mime, size, isImage }: Attachment) {
  return { name, path, mime, size, is_image: isImage }
}
