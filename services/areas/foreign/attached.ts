import { marked, readOffer } from '../../agent/index.js'
import { type AttachedConversation, type ModelMessage } from '../../agent/protocol.js'
import { ownModel } from '../../providers/index.js'
import { createQueue } from '../../ground/concurrency/queue.js'
import { type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Conflict, DomainError, NotFound } from '../../ground/errors.js'
import { type Log } from '../../ground/log.js'
import { type AuditPort } from '../audit/index.js'
import { type ForeignConversation, type SessionRow, type Sessions } from '../sessions/index.js'
import { rowsOf, rowsWithPauses } from './adoption.js'
import { readAppended, unheard, type Appended } from './appended-messages.js'
import { choose, type Choice, type ChoiceOptions } from './attached-choice.js'
import { lateRow, oursOf } from './attached-ours.js'
import { type AttachedRow, type AttachedRows } from './attached-rows.js'
import { type Foreign } from './foreign.js'
import { makers, type Stores } from './makers.js'
import { atWorkMs, maxConversationBytes } from './store.js'
import { type ForeignRow } from './tally.js'

export interface AttachedOptions extends ChoiceOptions {
  db: Database
  rows: AttachedRows
  clock: Clock
  audit: AuditPort
  sessions: Sessions
  foreign: Pick<Foreign, 'find'>
  stores: Stores
  /** Starts an agent that was never reached, and returns why it does not answer. */
  look: (profile: string, agent: string) => Promise<{ problem: string | null, message: string }>
  pause: () => Promise<unknown>
  log: Log
}

/** Whether a conversation of another front end can be continued in place, and by which agent; `why`: a sentence, if it cannot. */
export interface Attachable { agent: string | null, name: string, isAttached: boolean, why: string | null }

/** How much of a file is imported at once; a line that is read is shorter. */
const portionBytes = 16 * 1024 * 1024

/** The result of checking the file: the number of new rows from the other program, and whether that program is working now. */
interface FoundTurn { theirs: number, isAtWork: boolean }

/**
 * Conversations of other front ends that are continued in place: a session of this service with the same id, whose messages go to the agent
 * of the same maker in its own session. Both sides write to one file, so it is checked before and after each turn of this service, and what
 * the other program has written meanwhile is imported, once.
 */
export class AttachedSessions {
  readonly #rows: AttachedRows
  /** Checks a conversation's file one at a time. */
  readonly #queue = createQueue()

  constructor (readonly options: AttachedOptions) {
    this.#rows = options.rows
  }

  has (id: string): boolean {
    return this.#rows.get(id) !== undefined
  }

  /** Returns what a turn of this session needs to continue in place; undefined for an ordinary session. */
  of (id: string): AttachedConversation | undefined {
    const row = this.#rows.get(id)
    if (row === undefined) return undefined
    const { agent, nativeId, folder } = row
    return { agent, session: nativeId, folder, isShared: this.#rows.isShared(row) }
  }

  /** Throws NotFound if it is not a session of another front end. */
  async attachable (id: string, profile: string): Promise<Attachable> {
    const row = this.#rows.get(id)
    if (row !== undefined) {
      const { name } = makers[row.source]
      return { agent: row.agent, name, isAttached: true, why: null }
    }
    const found = this.options.foreign.find(id)
    if (found === undefined) throw new NotFound('Session not found')
    const { agent, why } = await this.#choose(found, profile)
    return { agent: agent?.id ?? null, name: makers[found.source].name, isAttached: false, why }
  }

  /**
   * Makes the conversation a session of this service with the same id, which continues in place. Returns the existing session if it already
   * is one. Throws NotFound, TooLarge, Unavailable, and Conflict (`not_attachable`) with the reason.
   *
   * @param assertFolder throws if whoever asks may open no conversation in the folder
   */
  async attach (id: string, profile: string, assertFolder: (folder: string) => Promise<unknown>): Promise<SessionRow> {
    return await this.#queue(id, async () => {
      const { sessions, foreign } = this.options
      if (this.#rows.get(id) !== undefined) return sessions.get(id)
      const found = sessions.has(id) ? undefined : foreign.find(id)
      if (found === undefined) throw new NotFound('Session not found')
      const choice = await this.#choose(found, profile)
      if (choice.why !== null) throw notAttachable(choice.why)
      await assertFolder(choice.folder)
      const { agent } = choice
      if (readOffer(this.options.homeOf(profile), agent.id, agent.agent) === null) {
        const { problem, message } = await this.options.look(profile, agent.id)
        if (problem !== null) throw notAttachable(message)
        const after = await this.#choose(found, profile)
        if (after.why !== null) throw notAttachable(after.why)
      }
      return await this.#begin(found, profile, choice)
    })
  }

  async #begin (
    found: ForeignRow, profile: string, { agent: { id: agent }, folder, nativeId }: Extract<Choice, { why: null }>
  ): Promise<SessionRow> {
    const { sessions, audit, pause, stores } = this.options
    const { id, source, path } = found
    const { appended, modifiedMs } = await stores[source].open(path, async (conversation) => {
      if (conversation.sizeBytes > maxConversationBytes) throw notAttachable('It is too large (more than 64 MiB)')
      const read = await readAppended(conversation, {
        reader: makers[source].reader(), id, from: null, nowMs: this.options.clock.now(), before: { lastWriter: 'theirs', isOpen: false },
        prompts: [], heard: [], pause
      })
      return { appended: read, modifiedMs: conversation.modifiedMs }
    })
    if (appended.isOpen && this.#isRecent(modifiedMs)) throw atWork(makers[source].name)
    const rows = withMarker(await rowsWithPauses(appended.theirs), { agent, session: nativeId })
    if (rows.length === 0) throw notAttachable('Its file says nothing')
    const conversation: ForeignConversation = { title: found.title ?? 'Untitled', workspace: folder, profile, rows }
    return await sessions.takeOver(id, conversation, { model: ownModel, modelProvider: agent }, (made) => {
      sessions.rows.set(made, { inputTokens: found.inputTokens, outputTokens: found.outputTokens, cacheReadTokens: found.cacheReadTokens })
      const { place, lastWriter, isOpen } = appended
      this.#rows.insert({ sessionId: made, source, agent, nativeId, folder, path, ...place, lastWriter, isOpen, knownRows: rows.length })
      audit.record('session.attached', { session: made, profile })
    })
  }

  /**
   * Called before a turn of this service begins. Throws Conflict if the other program is working in the conversation (`terminal_busy`), has
   * written something that was not shown here yet (`terminal_wrote`; it is imported now), or has replaced the file (`terminal_lost`).
   */
  async ready (id: string): Promise<void> {
    const row = this.#rows.get(id)
    if (row === undefined) return
    const { theirs, isAtWork } = await this.takeIn(id)
    const { name } = makers[row.source]
    if (isAtWork) throw atWork(name)
    if (theirs > 0) {
      throw new Conflict(
        `${name} has written to this conversation in the meantime. The new messages are loaded: read them, then send yours again`, 'terminal_wrote'
      )
    }
  }

  /**
   * Returns the name of the other program if it has written something during a turn of this service that is not imported yet; null
   * otherwise.
   */
  async wroteBeside (id: string): Promise<string | null> {
    const row = this.#rows.get(id)
    if (row === undefined) return null
    return await this.#queue(id, async () => {
      const found = await this.#look(row).catch(() => null)
      return found !== null && found.appended.theirs.messages.length > 0 ? makers[row.source].name : null
    })
  }

  /**
   * Imports what the other program has written. Throws Conflict (`terminal_lost`, or while a turn of this service is running), and
   * Unavailable.
   */
  async takeIn (id: string): Promise<FoundTurn> {
    return await this.#queue(id, async () => {
      let theirs = 0
      for (;;) {
        const row = this.#rows.get(id)
        if (row === undefined) return { theirs, isAtWork: false }
        const found = await this.#look(row)
        const { appended, modifiedMs } = found
        // The agent of this service is still writing down its answer.
        if (appended.isHeld && appended.lastWriter === 'ours') return { theirs, isAtWork: false }
        theirs += await this.#store(row, appended)
        if (appended.isWhole) return { theirs, isAtWork: appended.isOpen && appended.lastWriter === 'theirs' && this.#isRecent(modifiedMs) }
      }
    })
  }

  /** Checks the files of all attached sessions. Never rejects. */
  async refresh (): Promise<void> {
    for (const id of this.#rows.ids()) {
      await this.takeIn(id).catch((error: unknown) => {
        if (!(error instanceof DomainError)) this.options.log('an attached session could not be checked', { session: id, reason: String(error) })
      })
    }
  }

  /** Reads what was added to the conversation. Throws Conflict (`terminal_lost`) if its file was replaced. */
  async #look (row: AttachedRow): Promise<{ appended: Appended, modifiedMs: number }> {
    const { pause, stores, sessions, clock } = this.options
    const { sessionId: id, source, path, readBytes, seam, lastWriter, isOpen } = row
    return await stores[source].open(path, async (conversation) => {
      const from = { readBytes, seam }
      if (!await conversation.fits(from)) {
        throw new Conflict(
          `${makers[source].name} has replaced the file of this conversation. Delete this chat here, then continue the conversation from the list`, 'terminal_lost'
        )
      }
      const { prompts, heard } = oursOf(sessions, row)
      const appended = await readAppended(conversation, {
        reader: makers[source].reader(), id, from, mostBytes: portionBytes, nowMs: clock.now(), before: { lastWriter, isOpen }, prompts,
        heard, pause
      })
      return { appended, modifiedMs: conversation.modifiedMs }
    })
  }

  /** Stores what was found, and up to where the conversation is known now. Returns how many rows of the other program were new. */
  async #store (row: AttachedRow, { place, theirs: said, answers, isMixed, lastWriter, isOpen }: Appended): Promise<number> {
    const { db, sessions, clock } = this.options
    const { sessionId, agent, nativeId } = row
    if (place.readBytes === row.readBytes) return 0
    return await db.durably(() => {
      const { messageCount } = sessions.editable(sessionId)
      const { heard, isComplete } = oursOf(sessions, row)
      const missed = isComplete && !isMixed ? [] : unheard(answers, heard.join(' '))
      const late = missed.map((text) => lateRow(text, clock.now() / 1000))
      const theirs = rowsOf(said, messageCount + late.length)
      const rows = withMarker([...late, ...theirs], { agent, session: nativeId })
      if (rows.length > 0) {
        sessions.transcript.fill(sessionId, rows, messageCount)
        sessions.transcript.count(sessionId)
        sessions.changed('session_import', sessionId)
      }
      this.#rows.move(sessionId, { ...place, lastWriter, isOpen, knownRows: messageCount + rows.length })
      return theirs.length
    })
  }

  async #choose (row: ForeignRow, profile: string): Promise<Choice> {
    return await choose(row, profile, this.options.clock.now(), this.options)
  }

  #isRecent (modifiedMs: number): boolean {
    return this.options.clock.now() - modifiedMs < atWorkMs
  }
}

const notAttachable = (why: string): Conflict => new Conflict(why, 'not_attachable')

const atWork = (name: string): Conflict =>
  new Conflict(`${name} is running a turn in this conversation. Wait until it has answered, then send your message again`, 'terminal_busy')

/** Marks the last row that a model is shown, because the agent has all of this in its own session. */
function withMarker (rows: ForeignConversation['rows'], of: { agent: string, session: string }): ForeignConversation['rows'] {
  const at = rows.findLastIndex(({ replay }) => replay != null)
  return rows.map((row, index) => index === at ? { ...row, replay: marked(row.replay as ModelMessage, { ...of, turn: 1 }) } : row)
}
