import { type Static } from '@sinclair/typebox'
import { setTimeout as delay } from 'node:timers/promises'
import { type Started } from '../../schemas/chat.js'
import { withAttachmentNames } from '../agent/index.js'
import { type Attachment } from '../agent/protocol.js'
import { epochSeconds } from '../ground/clock.js'
import { type Journal } from '../ground/events/index.js'
import { Listeners, type Heard } from '../ground/listeners.js'
import { Conflict, Forbidden, Invalid, NotFound } from '../ground/errors.js'
import { messageId as newMessageId, streamId as newStreamId } from '../ground/ids.js'
import { type ChosenModel, type ModelChoice } from '../models/index.js'
import { untitled, type SessionRow } from '../sessions/index.js'
import { createRemains } from './parked.js'
import { provisionalTitle } from './provisional-title.js'
import { createReaderMarks } from './readers.js'
import { recoverStream, recoverStreams } from './recovery.js'
import { type Turn, type TurnEvents } from './turn-events.js'
import { type TurnContext, type TurnLife } from './turn-life.js'
import { chatPlan, type TurnInput, type TurnPlan } from './turn-plan.js'
import { createTurnStore, type OpenStream } from './turn-store.js'
import { Turns } from './turns.js'

export interface StartInput extends TurnInput {
  sessionId: string
  /** The profile the client believes the session to be in. */
  profile?: string
  workspace?: string
  /** The user picked this model for the session, not just for this turn. */
  explicitModelPick: boolean
}

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
  /** Keys of the message's row beside its text. */
  fields?: Record<string, unknown>
  /** Runs inside the transaction; what it throws undoes everything. */
  alongside?: (opened: { session: SessionRow, streamId: string }) => void
}

export interface ChatOptions extends Omit<TurnContext, 'listeners' | 'store'> {
  journal: Journal
  chooseModel: (profile: string, wanted: { model?: string, provider?: string }) => Promise<ModelChoice>
}

export type SteerFallback = 'no_cached_agent' | 'agent_lacks_steer' | 'not_running' | 'stream_dead' | 'steer_error'

/** How long the answer of a start waits for the name of the model. */
const effectiveModelWaitMs = 1_000

/** What a person does with turns: start, steer, cancel, look how they stand. */
export function createChat (given: ChatOptions) {
  const { db, clock, agent, sessions } = given
  const store = createTurnStore(db)
  const options = { ...given, store }
  const readers = createReaderMarks()
  const remains = createRemains(options)
  const recovery = { ...options, remains }
  const listeners = new Listeners<TurnEvents>((event, error) => options.log('what follows from a turn went wrong', { event, reason: String(error) }))
  const turns = new Turns({ ...options, listeners })
  listeners.on('ended', ({ streamId }) => readers.forget(streamId))
  sessions.on('removing', (ids) => {
    for (const turn of turns.all()) if (ids.includes(turn.sessionId)) stop(turn)
  })
  /** Streams whose message is being stored: they have no turn yet, and are no orphans. */
  const accepting = new Set<string>()
  const setWorkspace = db.sqlite.prepare('update sessions set workspace = ? where id = ?')
  const setModel = db.sqlite.prepare('update sessions set model = ?, model_provider = ? where id = ?')
  const setTitle = db.sqlite.prepare("update sessions set title = ?, title_source = 'provisional' where id = ?")

  function chooseModel ({ profile, model, modelProvider }: SessionRow, input: Pick<TurnInput, 'model' | 'modelProvider'>): Promise<ModelChoice> {
    return options.chooseModel(profile, input.model === undefined
      ? { model: model ?? undefined, provider: modelProvider ?? undefined }
      : { model: input.model, provider: input.modelProvider })
  }

  /** Ends a turn, whatever it is doing. */
  function stop (turn: TurnLife): void {
    turn.conclude()
    turn.cancel()
    turn.hurry()
  }

  /** A stream whose last write failed is open in the database and lives nowhere: it must not lock its session. */
  function closeOrphan (streamId: string): void {
    // The last frame of a turn that has just ended may not be stored yet.
    db.flush()
    const orphan = store.openStreams().find((stream) => stream.streamId === streamId)
    if (orphan === undefined || turns.get(streamId) !== undefined || accepting.has(streamId)) return
    recoverStream(recovery, orphan)
    db.flush()
  }

  /** Stores the message, its stream and whatever belongs to it in one transaction; all of it is on disk when this resolves. */
  async function open ({ session: sessionOf, input, plan: planOf, fields, alongside }: OpenInput): Promise<{ turn: TurnLife, chosen: Promise<ModelChoice> }> {
    const streamId = newStreamId()
    const userMessageId = newMessageId()
    const startedAtS = epochSeconds(clock)
    const { message, attachments } = input
    accepting.add(streamId)
    try {
      const { session, plan, generation } = await db.durably(() => {
        const session = sessionOf()
        const plan = planOf(session)
        const active = store.activeStream(session.id)
        if (active !== undefined) throw new Conflict('session already has an active stream', undefined, { active_stream_id: active })
        alongside?.({ session, streamId })
        if (session.titleSource === 'untitled') setTitle.run(provisionalTitle(message) || untitled, session.id)
        const generation = store.open({ streamId, sessionId: session.id, kind: plan.kind, userMessageId, startedAtS })
        sessions.transcript.append(session.id, startedAtS, {
          role: 'user',
          content: message,
          messageId: userMessageId,
          streamId,
          fields: { ...(attachments.length === 0 ? {} : { attachments: attachments.map(attachmentToWire) }), ...fields },
          replay: { role: 'user', content: [{ type: 'text', text: withAttachmentNames(message, attachments) }] }
        })
        sessions.changed('turn_started', session.id)
        return { session, plan, generation }
      })
      const chosen = chooseModel(session, input)
      const turn = turns.begin({ streamId, sessionId: session.id, profile: session.profile, startedAtS, promptsIn: plan.promptsIn }, generation, plan, chosen)
      return { turn, chosen }
    } finally {
      accepting.delete(streamId)
    }
  }

  /** The answer of a start; it waits a moment for the name of the model. */
  async function started ({ turn, chosen }: { turn: TurnLife, chosen: Promise<ModelChoice> }): Promise<StartedTurn> {
    const choice = await Promise.race([chosen, new Promise<null>((resolve) => setTimeout(resolve, effectiveModelWaitMs, null).unref())])
    return {
      streamId: turn.streamId,
      sessionId: turn.sessionId,
      startedAtS: turn.startedAtS,
      title: sessions.rowToWire(sessions.get(turn.sessionId)).title,
      model: choice === null || 'error' in choice ? null : choice
    }
  }

  /** Throws Forbidden for sessions in which nobody may speak, and puts a stream out of the way that lives nowhere. */
  function speakable (sessionId: string): SessionRow {
    const session = sessions.get(sessionId)
    if (session.readOnly) throw new Forbidden('This session is read-only')
    const active = store.activeStream(session.id)
    if (active !== undefined && turns.get(active) === undefined) closeOrphan(active)
    return session
  }

  /** Takes a turn up again that a stop of the service has found waiting for a person. */
  function goOn (stream: OpenStream): void {
    const { resume, position, steps } = remains.parked(stream)!
    const plan: TurnPlan = { ...chatPlan(stream.sessionId, { message: '', attachments: [] }), kind: stream.kind, input: null, resume, steps: Math.max(1, options.steps - steps) }
    const { sessionId, model, provider } = stream
    const choose = () => chooseModel(sessions.get(sessionId), model === null ? {} : { model, modelProvider: provider ?? undefined })
    const chosen = patiently(choose, () => turns.get(stream.streamId)?.is('starting') === true)
    turns.begin({ ...stream, promptsIn: sessionId }, stream.generation, plan, chosen, (recorder) => {
      recorder.restore({ text: '', reasoning: '' }, { position, calls: resume.calls })
    })
  }

  return {
    /**
     * Accepts a message and starts its turn. Throws NotFound, Forbidden, Invalid, or Conflict with `active_stream_id`.
     * `how` is what is special about this one.
     */
    async start (input: StartInput, how: Partial<Pick<OpenInput, 'plan' | 'fields' | 'alongside'>> = {}): Promise<StartedTurn> {
      const { id, profile } = sessions.get(input.sessionId)
      if (input.profile !== undefined && input.profile !== profile) throw new NotFound('Session not found')
      speakable(id)
      if (input.message.trim() === '') throw new Invalid('message is required')
      return await started(await open({
        session: () => {
          // It may have been deleted since it was looked up.
          sessions.get(id)
          if (input.workspace !== undefined) setWorkspace.run(input.workspace, id)
          if (input.model !== undefined && input.explicitModelPick) setModel.run(input.model, input.modelProvider ?? null, id)
          return sessions.get(id)
        },
        input,
        plan: () => chatPlan(id, input),
        ...how
      }))
    },

    /** Opens a turn of another kind, in a session of its own. */
    open: async (input: OpenInput): Promise<StartedTurn> => await started(await open(input)),

    /** The start's answer of a live turn that was begun with this very message; null when there is none. */
    async already (sessionId: string, message: string, kind: TurnPlan['kind']): Promise<StartedTurn | null> {
      const turn = turns.ofSession(sessionId)
      const input = turn?.plan.input ?? null
      if (turn === undefined || input === null || turn.plan.kind !== kind) return null
      // Clients send a message again as it was shown to them.
      if (input.message !== message && sessions.shown(input.message) !== message) return null
      return await started({ turn, chosen: chooseModel(sessions.get(sessionId), input) })
    },

    /** What happens to turns, for what follows from it. */
    turns: listeners as Heard<TurnEvents>,

    /** After a start of the service: takes up what only waited, and closes what was cut off. Returns how many of the latter there were. */
    recover (): number {
      const interrupted = recoverStreams(recovery, goOn)
      listeners.emit('recovered', interrupted)
      return interrupted.length
    },

    /** Stops a turn and frees its session. False when there was nothing to stop; an unknown id is no error. */
    cancel (streamId: string): boolean {
      const turn = turns.get(streamId)
      if (turn !== undefined) return turn.cancel()
      closeOrphan(streamId)
      return false
    },

    /** Hands a text to the running turn. It is kept until the run has taken it or handed it back. */
    async steer (sessionId: string, text: string): Promise<{ accepted: boolean, fallback: SteerFallback | null, streamId: string | null }> {
      const { readOnly } = sessions.get(sessionId)
      const refused = (fallback: SteerFallback, streamId: string | null = null) => ({ accepted: false, fallback, streamId })
      const turn = turns.ofSession(sessionId)
      if (turn === undefined) return refused('not_running')
      // A sub-agent takes its task from the agent it works for, and from nobody else.
      if (readOnly) return refused('agent_lacks_steer')
      if (turn.is('starting')) return refused('no_cached_agent')
      if (!turn.is('running')) return refused('stream_dead')
      const steer = await db.durably(() => store.addSteer(turn.streamId, text, epochSeconds(clock)))
      try {
        const ack = await agent.control(turn.profile, { op: 'steer', runId: turn.streamId, text })
        if (ack.result === 'applied') return { accepted: true, fallback: null, streamId: turn.streamId }
        // Handed back as a leftover meanwhile: refusing it as well would give the user the text twice.
        if (!store.dropSteer(steer)) return { accepted: true, fallback: null, streamId: turn.streamId }
        if (ack.result === 'unsupported') return refused('agent_lacks_steer')
        return ack.result === 'not_running' ? refused('stream_dead') : refused('steer_error', turn.streamId)
      } catch (error) {
        if (!store.dropSteer(steer)) return { accepted: true, fallback: null, streamId: turn.streamId }
        return error instanceof Conflict ? refused('stream_dead') : refused('steer_error', turn.streamId)
      }
    },

    /** Where a stream stands. Throws NotFound for one that is unknown. */
    streamStatus (streamId: string) {
      db.catchUp()
      const row = store.stream(streamId)
      if (row === undefined) throw new NotFound('stream not found')
      return {
        sessionId: row.sessionId,
        active: row.state !== 'closed',
        replayAvailable: row.pruned === 0,
        lastSeq: row.lastSeq,
        lastEvent: row.lastEvent,
        terminal: row.state === 'closed',
        terminalState: row.terminalState ?? (row.lastSeq === 0 ? 'unknown' : 'running')
      }
    },

    /** The live runs whose prompts a session shows, for controls that are not the turn's own. */
    liveRuns: (sessionId: string): Array<{ profile: string, runId: string }> =>
      turns.all().filter((turn) => turn.promptsIn === sessionId && turn.is('running')).map((turn) => ({ profile: turn.profile, runId: turn.streamId })),

    /** A turn that lives in this process. */
    turn: (streamId: string): Turn | undefined => turns.get(streamId),

    /** The stream that is live in a session. */
    activeStream: store.activeStream,
    isLive: (sessionId: string): boolean => store.activeStream(sessionId) !== undefined,

    /** How far each client has been sent each live stream. */
    readers,
    activeTurns: () => turns.count(),
    shutdown: () => turns.shutdown((turn) => {
      const stream = store.openStreams().find((candidate) => candidate.streamId === turn.streamId)
      return stream !== undefined && remains.parked(stream) !== null
    })
  }
}

export type Chat = ReturnType<typeof createChat>

/** After a start of the machine a provider may come up later than the service; nobody waits for its answer yet. */
async function patiently (choose: () => Promise<ModelChoice>, isWanted: () => boolean): Promise<ModelChoice> {
  for (let waitMs = 1_000; ; waitMs = Math.min(waitMs * 2, 60_000)) {
    const choice = await choose()
    if (!('error' in choice) || !isWanted()) return choice
    await delay(waitMs, undefined, { ref: false })
    if (!isWanted()) return choice
  }
}

/** What the start of a turn answers. */
export function startedToWire ({ streamId, sessionId, startedAtS, title, model }: StartedTurn): Static<typeof Started> {
  return {
    stream_id: streamId,
    session_id: sessionId,
    pending_started_at: startedAtS,
    turn_id: streamId,
    title,
    effective_model: model?.ref.id ?? null,
    effective_model_provider: model?.ref.provider ?? null
  }
}

function attachmentToWire ({ name, path, mime, size, isImage }: Attachment) {
  return { name, path, mime, size, is_image: isImage }
}
