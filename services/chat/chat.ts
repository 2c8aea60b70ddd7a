import { withAttachmentNames } from '../agent/index.js'
import { type Attachment } from '../agent/protocol.js'
import { epochSeconds } from '../clock.js'
import { Conflict, Forbidden, Invalid, NotFound } from '../errors.js'
import { messageId as newMessageId, streamId as newStreamId } from '../ids.js'
import { untitled, type SessionRow } from '../sessions/index.js'
import { createReaderMarks } from './readers.js'
import { recoverStream } from './recovery.js'
import { provisionalTitle } from './titles.js'
import { type TurnIdentity } from './turn-recorder.js'
import { createTurns, type ChosenModel, type ModelChoice, type TurnsOptions } from './turns.js'

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

export type SteerFallback = 'no_cached_agent' | 'agent_lacks_steer' | 'not_running' | 'stream_dead' | 'steer_error'

/** How long the answer of a start waits for the name of the model. */
const effectiveModelWaitMs = 1_000

/** What a person does with turns: start, steer, cancel, look how they stand. */
export function createChat (options: Omit<TurnsOptions, 'closed'>) {
  const { db, store, clock, agent, sessions, prompts } = options
  const readers = createReaderMarks()
  const turns = createTurns({ ...options, closed: (turn) => readers.forget(turn.streamId) })
  /** Streams whose message is being stored: they have no turn yet, and are no orphans. */
  const accepting = new Set<string>()
  const setWorkspace = db.sqlite.prepare('update sessions set workspace = ? where id = ?')
  const setModel = db.sqlite.prepare('update sessions set model = ?, model_provider = ? where id = ?')
  const setTitle = db.sqlite.prepare("update sessions set title = ?, title_source = 'provisional' where id = ?")

  /** A stream whose last write failed is open in the database and lives nowhere: it must not lock its session. */
  function closeOrphan (streamId: string): void {
    const orphan = store.openStreams().find((stream) => stream.streamId === streamId)
    if (orphan === undefined || turns.get(streamId) !== undefined || accepting.has(streamId)) return
    recoverStream({ ...options, onRefused: (error) => options.log('an orphaned stream could not be closed', { streamId, reason: error.message }) }, orphan)
    db.flush()
  }

  /** Stores the message and its stream; everything the user typed is on disk when this resolves. */
  async function accept (session: SessionRow, streamId: string, input: StartInput): Promise<{ identity: TurnIdentity, generation: number }> {
    const startedAtS = epochSeconds(clock)
    const userMessageId = newMessageId()
    const { message, attachments } = input
    const generation = await db.durably(() => {
      // It may have been deleted since it was looked up.
      sessions.get(session.id)
      const active = store.activeStream(session.id)
      if (active !== undefined) throw new Conflict('session already has an active stream', undefined, { active_stream_id: active })
      if (input.workspace !== undefined) setWorkspace.run(input.workspace, session.id)
      if (input.model !== undefined && input.explicitModelPick) setModel.run(input.model, input.modelProvider ?? null, session.id)
      if (session.titleSource === 'untitled') setTitle.run(provisionalTitle(message) || untitled, session.id)
      const generation = store.open({ streamId, sessionId: session.id, kind: 'chat', userMessageId, startedAtS })
      sessions.transcript.append(session.id, startedAtS, {
        role: 'user',
        content: message,
        messageId: userMessageId,
        streamId,
        fields: attachments.length === 0 ? {} : { attachments: attachments.map(attachmentToWire) },
        replay: { role: 'user', content: [{ type: 'text', text: withAttachmentNames(message, attachments) }] }
      })
      sessions.changed('turn_started', session.id)
      return generation
    })
    return { identity: { streamId, sessionId: session.id, profile: session.profile, startedAtS }, generation }
  }

  async function acceptAndBegin (session: SessionRow, input: StartInput): Promise<{ identity: TurnIdentity, chosen: Promise<ModelChoice> }> {
    const streamId = newStreamId()
    accepting.add(streamId)
    try {
      const { identity, generation } = await accept(session, streamId, input)
      const chosen = turns.chooseModel(session, input)
      turns.begin(identity, generation, input, chosen)
      return { identity, chosen }
    } finally {
      accepting.delete(streamId)
    }
  }

  return {
    /** Accepts a message and starts its turn. Throws NotFound, Forbidden, Invalid, or Conflict with `active_stream_id`. */
    async start (input: StartInput): Promise<StartedTurn> {
      const session = sessions.get(input.sessionId)
      if (input.profile !== undefined && input.profile !== session.profile) throw new NotFound('Session not found')
      if (session.readOnly) throw new Forbidden('This session belongs to another front end and is read-only')
      if (input.message.trim() === '') throw new Invalid('message is required')
      const active = store.activeStream(session.id)
      if (active !== undefined && turns.get(active) === undefined) closeOrphan(active)
      const { identity, chosen } = await acceptAndBegin(session, input)
      const choice = await Promise.race([chosen, new Promise<null>((resolve) => setTimeout(resolve, effectiveModelWaitMs, null).unref())])
      return {
        streamId: identity.streamId,
        sessionId: identity.sessionId,
        startedAtS: identity.startedAtS,
        title: sessions.get(identity.sessionId).title,
        model: choice === null || 'error' in choice ? null : choice
      }
    },

    /** Stops a turn and frees its session. False when there was nothing to stop; an unknown id is no error. */
    cancel (streamId: string): boolean {
      const turn = turns.get(streamId)
      if (turn !== undefined) return turns.cancel(turn)
      closeOrphan(streamId)
      return false
    },

    /** Hands a text to the running turn. It is kept until the run has taken it or handed it back. */
    async steer (sessionId: string, text: string): Promise<{ accepted: boolean, fallback: SteerFallback | null, streamId: string | null }> {
      sessions.get(sessionId)
      const refused = (fallback: SteerFallback, streamId: string | null = null) => ({ accepted: false, fallback, streamId })
      const turn = turns.ofSession(sessionId)
      if (turn === undefined) return refused('not_running')
      if (turn.phase === 'starting') return refused('no_cached_agent')
      if (turn.phase !== 'running') return refused('stream_dead')
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
      db.flush()
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

    /** The live run of a session, for controls that are not the turn's own. */
    liveRun (sessionId: string): { profile: string, runId: string } | null {
      const turn = turns.ofSession(sessionId)
      return turn === undefined || turn.phase !== 'running' ? null : { profile: turn.profile, runId: turn.streamId }
    },

    /** Deletes a session; a turn that runs in it is stopped first. */
    async removeSession (sessionId: string): Promise<void> {
      sessions.get(sessionId)
      for (const turn of turns.all()) {
        if (turn.sessionId !== sessionId) continue
        turns.conclude(turn)
        turns.cancel(turn)
        turn.finish?.()
      }
      await sessions.remove(sessionId)
      prompts.yolo.forget(sessionId)
    },

    /** How far each client has been sent each live stream. */
    readers,
    activeTurns: turns.count,
    shutdown: turns.shutdown
  }
}

export type Chat = ReturnType<typeof createChat>

function attachmentToWire ({ name, path, mime, size, isImage }: Attachment) {
  return { name, path, mime, size, is_image: isImage }
}
