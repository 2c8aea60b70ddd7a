import { type AgentRuntime, withAttachmentNames } from '../agent/index.js'
import { type Cost } from '../agent/providers/index.js'
import { type Attachment, type Effort, type ModelMessage, type ModelRef, type RunEvent, type RunSpec } from '../agent/protocol.js'
import { epochSeconds, type Clock } from '../clock.js'
import { type Database } from '../database/index.js'
import { Conflict, Forbidden, Invalid, NotFound } from '../errors.js'
import { type EventBroker, type Journal } from '../events/index.js'
import { messageId as newMessageId, streamId as newStreamId } from '../ids.js'
import { type Prompts } from '../prompts/index.js'
import { untitled, type SessionRow, type Sessions } from '../sessions/index.js'
import { firstWords, provisionalTitle, titleInput } from './titles.js'
import { TurnRecorder, type RecorderOptions, type TurnIdentity, type TurnModel } from './turn-recorder.js'

export interface StartInput {
  sessionId: string
  /** The profile the client believes the session to be in. */
  profile?: string
  message: string
  workspace?: string
  model?: string
  modelProvider?: string
  /** The user picked this model for the session, not just for this turn. */
  explicitModelPick: boolean
  attachments: Attachment[]
}

export interface StartedTurn {
  streamId: string
  sessionId: string
  startedAtS: number
  title: string
  model: ChosenModel | null
}

export interface ChosenModel { ref: ModelRef, label: string, contextLength: number | null, cost: Cost | null }

/** The model that answers a turn, or a sentence that says why there is none. */
export type ModelChoice = ChosenModel | { error: string }

export interface ChatOptions {
  db: Database
  events: EventBroker
  journal: Journal
  clock: Clock
  agent: AgentRuntime
  sessions: Sessions
  prompts: Prompts
  price: RecorderOptions['price']
  chooseModel: (profile: string, wanted: { model?: string, provider?: string }) => Promise<ModelChoice>
  effort: (profile: string) => Effort | undefined
  systemPrompt: (session: SessionRow) => Promise<string[]>
  /** Pattern keys the profile allows for good. */
  allowedPatterns: (profile: string) => string[]
  titleModel: (profile: string) => Promise<ModelRef | null>
  limits: { steps: number, clarifyTimeoutS: number }
  log: (message: string, details: Record<string, unknown>) => void
}

export type SteerFallback = 'no_cached_agent' | 'agent_lacks_steer' | 'not_running' | 'stream_dead' | 'steer_error'

interface Turn extends TurnIdentity {
  recorder: TurnRecorder
  kind: RunSpec['kind']
  /** starting: no host has it yet. ending: the answer stands, its title is awaited. settling: `done` is out. */
  phase: 'starting' | 'running' | 'ending' | 'settling' | 'cancelling' | 'closed'
  finish: (() => void) | null
}

/** How long the last frame may wait for a title, and how long a title may still come after it. */
const titleBeforeDoneMs = 800
const titleLimitMs = 15_000
const cancelLimitMs = 5_000
const effectiveModelWaitMs = 1_000

/** Turns: started, watched, steered, cancelled and brought to an honest end. */
export function createChat (options: ChatOptions) {
  const { db, clock, agent, sessions, prompts } = options
  const turns = new Map<string, Turn>()
  const activeOf = db.sqlite.prepare<[string], { id: string }>("select id from streams where session_id = ? and state = 'active'")
  const turnsOf = db.sqlite.prepare<[string], { count: number }>('select count(*) as count from streams where session_id = ?')
  const insertStream = db.sqlite.prepare(
    "insert into streams (id, session_id, kind, state, generation, user_message_id, started_at) values (?, ?, ?, 'active', ?, ?, ?)")
  const raiseGeneration = db.sqlite.prepare<[string], { generation: number }>('update sessions set generation = generation + 1 where id = ? returning generation')
  const nameModel = db.sqlite.prepare('update streams set provider = ?, model = ? where id = ?')
  const insertSteer = db.sqlite.prepare("insert into steers (stream_id, text, state, created_at) values (?, ?, 'pending', ?)")
  const dropSteer = db.sqlite.prepare("update steers set state = 'returned' where id = ? and state = 'pending'")

  function liveTurnOf (sessionId: string): Turn | undefined {
    const row = activeOf.get(sessionId)
    return row === undefined ? undefined : turns.get(row.id)
  }

  /** Everything the user typed is on disk when this returns; the run starts afterwards. */
  function accept (session: SessionRow, input: StartInput): Turn {
    const now = epochSeconds(clock)
    const streamId = newStreamId()
    const messageId = newMessageId()
    const text = withAttachmentNames(input.message, input.attachments)
    const generation = db.transaction(() => {
      const active = activeOf.get(session.id)
      if (active !== undefined) throw new Conflict('session already has an active stream', undefined, { active_stream_id: active.id })
      const { generation } = raiseGeneration.get(session.id)!
      if (input.workspace !== undefined) db.sqlite.prepare('update sessions set workspace = ? where id = ?').run(input.workspace, session.id)
      if (input.model !== undefined && input.explicitModelPick) {
        db.sqlite.prepare('update sessions set model = ?, model_provider = ? where id = ?').run(input.model, input.modelProvider ?? null, session.id)
      }
      if (session.title === untitled && !session.titleManual) {
        db.sqlite.prepare('update sessions set title = ? where id = ?').run(provisionalTitle(input.message), session.id)
      }
      insertStream.run(streamId, session.id, 'chat', generation, messageId, now)
      sessions.transcript.append(session.id, now, {
        role: 'user',
        content: input.message,
        messageId,
        streamId,
        fields: input.attachments.length === 0 ? {} : { attachments: input.attachments.map(attachmentToWire) },
        replay: { role: 'user', content: [{ type: 'text', text }] }
      })
      sessions.changed('turn_started', session.id)
      return generation
    }, { durable: true })
    const identity: TurnIdentity = { streamId, sessionId: session.id, profile: session.profile, startedAtS: now }
    const turn: Turn = {
      ...identity,
      kind: 'chat',
      phase: 'starting',
      finish: null,
      recorder: new TurnRecorder(identity, generation, {
        ...options,
        onRefused: (error) => options.log('a late write of an ended turn was refused', { streamId, reason: error.message })
      })
    }
    turns.set(streamId, turn)
    void launch(turn, generation, input).catch((error: unknown) => {
      options.log('a turn could not be started', { streamId, reason: String(error) })
      fail(turn, { type: 'error', message: 'The turn could not be started; the log of the service has the details.' })
    })
    return turn
  }

  /** Gathers what the run needs and hands it to the host. */
  async function launch (turn: Turn, generation: number, input: StartInput): Promise<void> {
    const session = sessions.get(turn.sessionId)
    const choice = await chooseModel(session, input)
    if (turn.phase !== 'starting') return
    if ('error' in choice) return fail(turn, { type: 'model_not_found', message: choice.error })
    turn.recorder.useModel(turnModel(choice))
    nameModel.run(choice.ref.provider, choice.ref.id, turn.streamId)
    const system = await options.systemPrompt(session)
    if (turn.phase !== 'starting') return
    const history = sessions.transcript.history(turn.sessionId) as ModelMessage[]
    turn.phase = 'running'
    agent.start({
      v: 1,
      runId: turn.streamId,
      sessionId: turn.sessionId,
      profile: turn.profile,
      kind: turn.kind,
      generation,
      engine: 'loop',
      model: { ...choice.ref, effort: options.effort(turn.profile) },
      system,
      // The last row is this turn's own message: it travels as the input, with its attachments.
      history: history.slice(0, -1),
      input: { text: input.message, attachments: input.attachments },
      workspace: session.workspace,
      attended: true,
      yolo: prompts.yolo.isOn(turn.sessionId),
      grants: [...prompts.sessionGrants(turn.sessionId), ...options.allowedPatterns(turn.profile)],
      todos: session.todos === null ? [] : JSON.parse(session.todos).todos,
      limits: { steps: options.limits.steps },
      clarifyTimeoutS: options.limits.clarifyTimeoutS
    }, {
      events: (events) => receive(turn, events),
      lost: () => fail(turn, {
        type: 'interrupted',
        message: 'The agent process stopped unexpectedly in the middle of this turn.',
        hint: 'What it had written so far is kept. Send the message again to retry.'
      }, 'interrupted-by-crash')
    })
  }

  function chooseModel (session: SessionRow, input: StartInput): Promise<ModelChoice> {
    const model = input.model ?? session.model ?? undefined
    const provider = input.model === undefined ? session.modelProvider ?? undefined : input.modelProvider
    return options.chooseModel(session.profile, { model, provider })
  }

  function receive (turn: Turn, events: RunEvent[]): void {
    const end = events.find((event) => event.t === 'end')
    if (turn.phase === 'running') turn.recorder.apply(events)
    if (end?.t !== 'end') return
    if (turn.phase === 'cancelling') return turn.finish?.()
    if (turn.phase !== 'running') return
    if (end.state === 'done') settle(turn, end.steerLeftover, end.terminalState).catch((error: unknown) => unsettled(turn, error))
    else if (end.state === 'cancelled') fail(turn, { type: 'cancelled', message: 'The agent stopped this turn.' }, 'interrupted-by-user')
    else fail(turn, end.error ?? { type: 'error', message: 'The turn failed.' }, 'errored', end.steerLeftover)
  }

  /** `done` follows the answer at once, unless a title is about to come; `stream_end` follows `done`. */
  async function settle (turn: Turn, steerLeftover?: string, terminalState?: 'tool_limit_reached'): Promise<void> {
    turn.phase = 'ending'
    const title = titleOf(turn)
    const early = await Promise.race([title, waitFor(turn, titleBeforeDoneMs)])
    if (turn.phase !== 'ending') return
    turn.phase = 'settling'
    turn.recorder.done({ title: early ?? undefined, steerLeftover, terminalState })
    const late = early === undefined ? await Promise.race([title, waitFor(turn, titleLimitMs)]) : undefined
    if (turn.phase !== 'settling') return
    turn.recorder.end(late ?? undefined)
    close(turn)
  }

  /** Looking for a title went wrong, the session may be gone: the answer stands without one. */
  function unsettled (turn: Turn, error: unknown): void {
    options.log('a turn could not be closed as usual', { streamId: turn.streamId, reason: String(error) })
    conclude(turn)
  }

  /** Resolves with undefined after a while, or as soon as somebody needs this turn out of the way. */
  function waitFor (turn: Turn, ms: number): Promise<undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => turn.finish?.(), ms)
      turn.finish = () => {
        clearTimeout(timer)
        turn.finish = null
        resolve(undefined)
      }
    })
  }

  /** A title for a conversation that has none of its own yet; null when none is due. */
  async function titleOf (turn: Turn): Promise<string | null> {
    if (sessions.get(turn.sessionId).titleManual || turnsOf.get(turn.sessionId)!.count !== 1) return null
    const question = firstUserText(turn.sessionId)
    const model = await options.titleModel(turn.profile)
    const title = model === null ? null : await agent.aux(turn.profile, { task: 'title', model, input: titleInput(question, turn.recorder.answer) }, titleLimitMs)
    return title ?? firstWords(question)
  }

  function firstUserText (sessionId: string): string {
    const row = db.sqlite.prepare<[string], { body: string }>("select body from messages where session_id = ? and role = 'user' order by position limit 1").get(sessionId)
    return row === undefined ? '' : (JSON.parse(row.body) as { content: string }).content
  }

  function fail (turn: Turn, error: { type: string, message: string, hint?: string }, terminalState = 'errored', steerLeftover?: string): void {
    if (turn.phase === 'cancelling') return turn.finish?.()
    if (turn.phase !== 'starting' && turn.phase !== 'running') return
    turn.recorder.failed(error, { terminalState, steerLeftover })
    close(turn)
  }

  function close (turn: Turn): void {
    turn.phase = 'closed'
    turn.finish?.()
    turns.delete(turn.streamId)
  }

  /** Sends the closing frames of a turn whose answer stands, without waiting for a title. */
  function conclude (turn: Turn): void {
    if (turn.phase === 'ending') turn.recorder.done({})
    if (turn.phase === 'ending' || turn.phase === 'settling') {
      turn.recorder.end()
      close(turn)
    }
  }

  function cancelTurn (turn: Turn): boolean {
    // Nothing is left to stop: the answer stands, only its closing frames wait.
    if (turn.phase === 'ending' || turn.phase === 'settling') turn.finish?.()
    if (turn.phase !== 'starting' && turn.phase !== 'running') return false
    const wasRunning = turn.phase === 'running'
    turn.recorder.cancel()
    turn.phase = 'cancelling'
    const timer = setTimeout(() => turn.finish?.(), cancelLimitMs)
    turn.finish = () => {
      clearTimeout(timer)
      turn.finish = null
      turn.recorder.cancelled()
      close(turn)
    }
    if (!wasRunning) turn.finish()
    else agent.control(turn.profile, { op: 'cancel', runId: turn.streamId }).catch(() => turn.finish?.())
    return true
  }

  return {
    /** Accepts a message and starts its turn. Throws NotFound, Forbidden, Invalid, or Conflict with `active_stream_id`. */
    async start (input: StartInput): Promise<StartedTurn> {
      const session = sessions.get(input.sessionId)
      if (input.profile !== undefined && input.profile !== session.profile) throw new NotFound('Session not found')
      if (session.readOnly) throw new Forbidden('This session belongs to another front end and is read-only')
      if (input.message.trim() === '') throw new Invalid('message is required')
      const turn = accept(session, input)
      const model = await Promise.race([chooseModel(session, input), new Promise<null>((resolve) => setTimeout(resolve, effectiveModelWaitMs, null).unref())])
      return {
        streamId: turn.streamId,
        sessionId: turn.sessionId,
        startedAtS: turn.startedAtS,
        title: sessions.get(turn.sessionId).title,
        model: model === null || 'error' in model ? null : model
      }
    },

    /** Stops a turn and frees its session. False when there was nothing to stop; an unknown id is no error. */
    cancel (streamId: string): boolean {
      const turn = turns.get(streamId)
      return turn === undefined ? false : cancelTurn(turn)
    },

    /** Hands a text to the running turn. It is kept until the run has taken it or handed it back. */
    async steer (sessionId: string, text: string): Promise<{ accepted: boolean, fallback: SteerFallback | null, streamId: string | null }> {
      sessions.get(sessionId)
      const refused = (fallback: SteerFallback, streamId: string | null = null) => ({ accepted: false, fallback, streamId })
      const turn = liveTurnOf(sessionId)
      if (turn === undefined) return refused('not_running')
      if (turn.phase === 'starting') return refused('no_cached_agent')
      if (turn.phase !== 'running') return refused('stream_dead')
      const { lastInsertRowid } = db.transaction(() => insertSteer.run(turn.streamId, text, epochSeconds(clock)), { durable: true })
      try {
        const ack = await agent.control(turn.profile, { op: 'steer', runId: turn.streamId, text })
        if (ack.result === 'applied') return { accepted: true, fallback: null, streamId: turn.streamId }
        dropSteer.run(lastInsertRowid)
        if (ack.result === 'unsupported') return refused('agent_lacks_steer')
        return ack.result === 'not_running' ? refused('stream_dead') : refused('steer_error', turn.streamId)
      } catch (error) {
        dropSteer.run(lastInsertRowid)
        return error instanceof Conflict ? refused('stream_dead') : refused('steer_error', turn.streamId)
      }
    },

    /** Where a stream stands. Throws NotFound for one that is unknown. */
    streamStatus (streamId: string) {
      db.flush()
      const row = db.sqlite.prepare<[string], { sessionId: string, state: string, terminalState: string | null, lastSeq: number, pruned: number }>(
        'select session_id as sessionId, state, terminal_state as terminalState, last_seq as lastSeq, journal_pruned as pruned from streams where id = ?').get(streamId)
      if (row === undefined) throw new NotFound('stream not found')
      const lastEvent = db.sqlite.prepare<[string, number], { event: string }>('select event from frames where stream_id = ? and seq = ?').get(streamId, row.lastSeq)
      return {
        sessionId: row.sessionId,
        active: row.state !== 'closed',
        replayAvailable: row.pruned === 0,
        lastSeq: row.lastSeq,
        lastEvent: lastEvent?.event ?? null,
        terminal: row.state === 'closed',
        terminalState: row.terminalState ?? (row.lastSeq === 0 ? 'unknown' : 'running')
      }
    },

    /** The live run of a session, for controls that are not the turn's own. */
    liveRun (sessionId: string): { profile: string, runId: string } | null {
      const turn = liveTurnOf(sessionId)
      return turn === undefined || turn.phase !== 'running' ? null : { profile: turn.profile, runId: turn.streamId }
    },

    /** Deletes a session; a turn that runs in it is stopped first. */
    removeSession (sessionId: string): void {
      sessions.get(sessionId)
      for (const turn of [...turns.values()]) {
        if (turn.sessionId !== sessionId) continue
        conclude(turn)
        cancelTurn(turn)
        turn.finish?.()
      }
      db.flush()
      sessions.remove(sessionId)
      prompts.yolo.forget(sessionId)
    },

    activeTurns: () => turns.size,

    /** Ends every turn honestly before the process goes: partial answers are kept, streams get their last frame. */
    shutdown (): void {
      for (const turn of [...turns.values()]) {
        conclude(turn)
        fail(turn, { type: 'interrupted', message: 'The service was stopped while this turn was running.', hint: 'What was written so far is kept. Send the message again to retry.' }, 'interrupted-by-crash')
      }
      db.flush()
    }
  }
}

export type Chat = ReturnType<typeof createChat>

function turnModel ({ ref, contextLength, cost }: ChosenModel): TurnModel {
  return { provider: ref.provider, id: ref.id, contextLength, cost }
}

function attachmentToWire ({ name, path, mime, size, isImage }: Attachment) {
  return { name, path, mime, size, is_image: isImage }
}
