import { type Stats } from 'node:fs'
import { basename, dirname, isAbsolute } from 'node:path'
import { marked, readOffer } from '../../agent/index.js'
import { type AttachedConversation, type ModelMessage } from '../../agent/protocol.js'
import { ownModel, type AgentPresetId, type ProviderEntry } from '../../providers/index.js'
import { createQueue } from '../../ground/concurrency/queue.js'
import { type Clock } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Conflict, DomainError, NotFound, Unavailable } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'
import { type AuditPort } from '../audit/index.js'
import { type ForeignConversation, type SessionRow, type Sessions } from '../sessions/index.js'
import { rowsOf } from './adoption.js'
import { readAppended, unheard, type Appended } from './appended.js'
import { type AttachedRow, type AttachedRows, type KnownPlace } from './attached-rows.js'
import { type Foreign } from './foreign.js'
import { fits, openRegular } from './lines.js'
import { conversationId } from './sources.js'
import { type ForeignRow } from './tally.js'

export interface AttachedOptions {
  db: Database
  rows: AttachedRows
  clock: Clock
  audit: AuditPort
  sessions: Sessions
  foreign: Pick<Foreign, 'find'>
  /** The agents that a profile has. Throws NotFound for an unknown one. */
  agents: (profile: string) => Promise<ProviderEntry[]>
  homeOf: (profile: string) => string
  /** Starts an agent that was never reached; says why it does not answer. */
  look: (profile: string, agent: string) => Promise<{ problem: string | null, message: string }>
  /** Throws for a folder in which no session may work. */
  folder: (path: string) => Promise<string>
  pause: () => Promise<unknown>
  log: (message: string, details: Record<string, unknown>) => void
}

/** Whether a conversation of another front end can be continued in place, and by whom; `why`: a sentence, where it cannot. */
export interface Attachable { agent: string | null, name: string, isAttached: boolean, why: string | null }

interface Maker { preset: AgentPresetId, name: string, id: RegExp }

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
const makers: Record<ForeignRow['source'], Maker> = {
  claude_code: { preset: 'claude-code', name: 'Claude Code', id: uuid },
  codex: { preset: 'codex', name: 'Codex', id: uuid }
}

const maxFileBytes = 64 * 1024 * 1024
/** As much of a file is taken in at once; a line that is read is shorter. */
const portionBytes = 16 * 1024 * 1024
/** A turn that was left in the middle and in which nothing was written for so long has no program any more that works on it. */
const atWorkMs = 120_000
const rowsAtOnce = 64

/** What a look at the file has found: rows of theirs that are new here, and whether their program is at work now. */
interface Found { theirs: number, isAtWork: boolean }

/**
 * Conversations of other front ends that are continued in place: a session of ours under their id, whose messages go to the agent of the
 * same maker with its own session. Both sides write into one file, so it is looked at before and after each turn of ours: what their
 * program has written meanwhile is taken in, once.
 */
export class AttachedSessions {
  readonly #rows: AttachedRows
  /** One look at a file at a time. */
  readonly #queue = createQueue()

  constructor (readonly options: AttachedOptions) {
    this.#rows = options.rows
  }

  has (id: string): boolean {
    return this.#rows.get(id) !== undefined
  }

  /** What a turn of this session needs to know to go on in place; undefined: it is a session like any other. */
  of (id: string): AttachedConversation | undefined {
    const row = this.#rows.get(id)
    if (row === undefined) return undefined
    const { agent, nativeId, folder } = row
    return { agent, session: nativeId, folder, isShared: this.#rows.isShared(row) }
  }

  /** Throws NotFound for a session of no other front end. */
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
   * Makes the conversation a session of ours under the same id, which goes on in place. The same again where it is one. Throws NotFound,
   * TooLarge, Unavailable, and Conflict (`not_attachable`) with the reason.
   */
  async attach (id: string, profile: string): Promise<SessionRow> {
    return await this.#queue(id, async () => {
      const { sessions, foreign } = this.options
      if (this.#rows.get(id) !== undefined) return sessions.get(id)
      const found = sessions.has(id) ? undefined : foreign.find(id)
      if (found === undefined) throw new NotFound('Session not found')
      const { agent, folder, why } = await this.#choose(found, profile)
      if (agent === null || folder === null || why !== null) throw notAttachable(why ?? 'There is no agent for it')
      if (readOffer(this.options.homeOf(profile), agent.id, agent.agent) === null) {
        const { problem, message } = await this.options.look(profile, agent.id)
        if (problem !== null) throw notAttachable(message)
        const after = await this.#choose(found, profile)
        if (after.why !== null) throw notAttachable(after.why)
      }
      return await this.#begin(found, { profile, agent: agent.id, folder })
    })
  }

  async #begin (found: ForeignRow, { profile, agent, folder }: { profile: string, agent: string, folder: string }): Promise<SessionRow> {
    const { sessions, audit, pause } = this.options
    const { id, source, path } = found
    const nativeId = conversationId(found)
    const { appended, modifiedMs } = await opened(path, async (handle, stats) => {
      if (stats.size > maxFileBytes) throw notAttachable('It is too large (more than 64 MiB)')
      const read = await readAppended(handle, {
        source, id, from: 0, to: stats.size, before: { lastWriter: 'theirs', isOpen: false }, prompts: [], heard: [],
        atS: stats.mtimeMs / 1000, pause
      })
      return { appended: read, modifiedMs: stats.mtimeMs }
    })
    if (appended.isOpen && this.#isRecent(modifiedMs)) throw atWork(makers[source].name)
    const rows = withMarker(rowsOf(appended.theirs), { agent, session: nativeId })
    if (rows.length === 0) throw notAttachable('Its file says nothing')
    const conversation: ForeignConversation = { title: found.title ?? 'Untitled', workspace: folder, profile, rows }
    return await sessions.takeOver(id, conversation, { model: ownModel, modelProvider: agent }, (made) => {
      sessions.rows.set(made, {
        inputTokens: found.inputTokens, outputTokens: found.outputTokens, cacheReadTokens: found.cacheReadTokens
      })
      this.#rows.insert({
        sessionId: made, source, agent, nativeId, folder, path, ...placeOf(appended, null), knownRows: rows.length
      })
      audit.record('session.attached', { session: made, profile })
    })
  }

  /**
   * Before a turn of ours begins: throws Conflict where the other program is at work in the conversation (`terminal_busy`), has written
   * something that nobody has seen here yet (`terminal_wrote`; it is there afterwards), or has put another file in its place
   * (`terminal_lost`).
   */
  async ready (id: string): Promise<void> {
    const row = this.#rows.get(id)
    if (row === undefined) return
    const { theirs, isAtWork } = await this.takeIn(id)
    const { name } = makers[row.source]
    if (isAtWork) throw atWork(name)
    if (theirs > 0) {
      throw new Conflict(
        `${name} has written more in this conversation in the meantime. It was loaded: read it, and send your message again`, 'terminal_wrote'
      )
    }
  }

  /** Whether the other program has written something while a turn of ours was at work, which is not here yet. */
  async wroteBeside (id: string): Promise<string | null> {
    const row = this.#rows.get(id)
    if (row === undefined) return null
    return await this.#queue(id, async () => {
      const found = await this.#look(row).catch(() => null)
      return found !== null && found.appended.theirs.messages.length > 0 ? makers[row.source].name : null
    })
  }

  /** Takes in what the other program has written. Throws Conflict (`terminal_lost`, or while a turn of ours runs), and Unavailable. */
  async takeIn (id: string): Promise<Found> {
    return await this.#queue(id, async () => {
      let theirs = 0
      for (;;) {
        const row = this.#rows.get(id)
        if (row === undefined) return { theirs, isAtWork: false }
        const found = await this.#look(row)
        if (found === null) return { theirs, isAtWork: false }
        const { appended, modifiedMs, isWhole } = found
        theirs += await this.#store(row, appended)
        if (isWhole) return { theirs, isAtWork: appended.isOpen && appended.lastWriter === 'theirs' && this.#isRecent(modifiedMs) }
      }
    })
  }

  /** Looks at the files of all of them. Never rejects. */
  async refresh (): Promise<void> {
    for (const id of this.#rows.ids()) {
      await this.takeIn(id).catch((error: unknown) => {
        if (!(error instanceof DomainError)) this.options.log('an attached session could not be looked at', { session: id, reason: String(error) })
      })
    }
  }

  /** What came to the file; null: it cannot be read at the moment. */
  async #look (row: AttachedRow): Promise<{ appended: Appended, modifiedMs: number, isWhole: boolean } | null> {
    const { pause } = this.options
    const { sessionId, source, path, readBytes, lastWriter, isOpen } = row
    return await opened(path, async (handle, { size, mtimeMs }) => {
      if (size < readBytes || !await fits(handle, Buffer.from(row.seam, 'base64'), readBytes)) {
        throw new Conflict(
          `${makers[source].name} has replaced the file of this conversation. Delete this chat here, and continue the conversation that is listed then`, 'terminal_lost'
        )
      }
      const to = Math.min(size, readBytes + portionBytes)
      const { prompts, heard } = this.#ours(row)
      const appended = await readAppended(handle, {
        source, id: sessionId, from: readBytes, to, before: { lastWriter, isOpen }, prompts, heard, atS: mtimeMs / 1000, pause
      })
      // What is left then is a line that is not complete.
      return { appended, modifiedMs: mtimeMs, isWhole: to === size || appended.end === readBytes }
    })
  }

  /** Our turns since the file was known: what they have sent, what was heard, and whether the last of them has come to its end. */
  #ours ({ sessionId, knownRows }: AttachedRow): { prompts: string[], heard: string[], isComplete: boolean } {
    const { transcript } = this.options.sessions
    const prompts: string[] = []
    const heard: string[] = []
    let isComplete = true
    for (let from = knownRows; ;) {
      const found = transcript.portion(sessionId, from, from + rowsAtOnce, 'plain')
      if (found.length === 0) return { prompts, heard, isComplete }
      const replays = transcript.replaysOf(sessionId, from, found.length)
      for (const [index, { role, body }] of found.entries()) {
        const replay = fieldsOf(JSON.parse(replays[index] ?? 'null'))
        if (role === 'user') {
          // Names of files stand behind it, and are others to the agent.
          prompts.push((textOf(replay['content']) || textOf(fieldsOf(JSON.parse(body))['content'])).split('\n\n[Attached files: ')[0] ?? '')
          isComplete = false
        } else if (role === 'assistant') {
          heard.push(textOf(fieldsOf(JSON.parse(body))['content']))
          if (fieldsOf(replay['providerOptions'])['acp'] !== undefined) isComplete = true
        }
      }
      from += found.length
    }
  }

  /** Stores what was found, and how far the file is known now. Returns how many rows of theirs were new. */
  async #store (row: AttachedRow, appended: Appended): Promise<number> {
    const { db, sessions } = this.options
    const { sessionId, agent, nativeId } = row
    if (appended.end === row.readBytes) return 0
    return await db.durably(() => {
      const { messageCount } = sessions.editable(sessionId)
      const { heard, isComplete } = this.#ours(row)
      const missed = isComplete && !appended.isMixed ? [] : unheard(appended.answers, heard.join(' '))
      const late = missed.map((text): ForeignConversation['rows'][number] => ({
        role: 'assistant', counted: true, createdAtS: this.options.clock.now() / 1000,
        body: { role: 'assistant', content: text, timestamp: this.options.clock.now() / 1000, _ts: this.options.clock.now() / 1000 },
        replay: { role: 'assistant', content: [{ type: 'text', text }] }
      }))
      const theirs = rowsOf(appended.theirs, messageCount + late.length)
      const rows = withMarker([...late, ...theirs], { agent, session: nativeId })
      if (rows.length > 0) {
        sessions.transcript.fill(sessionId, rows, messageCount)
        sessions.transcript.count(sessionId)
        sessions.changed('session_import', sessionId)
      }
      this.#rows.move(sessionId, { ...placeOf(appended, row), knownRows: messageCount + rows.length })
      return theirs.length
    })
  }

  async #choose (
    { source, workspace, path }: ForeignRow, profile: string
  ): Promise<{ agent: (ProviderEntry & { agent: NonNullable<ProviderEntry['agent']> }) | null, folder: string | null, why: string | null }> {
    const { preset, name, id } = makers[source]
    const no = (why: string) => ({ agent: null, folder: null, why })
    if (!id.test(conversationId({ source, path }))) return no(`Its id is none of ${name}'s`)
    const entries = (await this.options.agents(profile)).flatMap((entry) =>
      entry.agent?.preset === preset ? [{ ...entry, agent: entry.agent }] : [])
    const agent = entries.find((entry) => entry.id === preset) ?? entries[0]
    if (agent === undefined) return no(`${name} is not installed as an agent of this service: see Models`)
    if (agent.agent.problem !== null) return no(agent.agent.problem)
    if (readOffer(this.options.homeOf(profile), agent.id, agent.agent)?.loads === false) return no(`This version of ${name} cannot take up a conversation again`)
    const folder = workspace === null || !isAbsolute(workspace) ? null : await this.options.folder(workspace).catch(() => null)
    if (folder === null) return no('The folder that it worked in is not there any more, or is not open to sessions')
    // Its agent looks for the conversation there, and sees no other in the sandbox.
    if (source === 'claude_code' && basename(dirname(path)) !== folder.replaceAll(/[^A-Za-z0-9]/g, '-')) return no('It was begun in another folder than the one it worked in')
    return { agent, folder, why: null }
  }

  #isRecent (modifiedMs: number): boolean {
    return this.options.clock.now() - modifiedMs < atWorkMs
  }
}

const notAttachable = (why: string): Conflict => new Conflict(why, 'not_attachable')

const atWork = (name: string): Conflict =>
  new Conflict(`${name} is at work in this conversation. Wait until it has answered, and send your message again`, 'terminal_busy')

function placeOf ({ end, seam, lastWriter, isOpen }: Appended, before: AttachedRow | null): Omit<KnownPlace, 'knownRows'> {
  return { readBytes: end, seam: seam?.toString('base64') ?? before?.seam ?? '', lastWriter, isOpen }
}

/** The agent has all of this in its own session: the last row that a model is shown says so. */
function withMarker (rows: ForeignConversation['rows'], of: { agent: string, session: string }): ForeignConversation['rows'] {
  const at = rows.findLastIndex(({ replay }) => replay != null)
  return rows.map((row, index) => index === at ? { ...row, replay: marked(row.replay as ModelMessage, { ...of, turn: 1 }) } : row)
}

function textOf (content: unknown): string {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part) => String(fieldsOf(part)['text'] ?? '')).join('\n') : ''
}

type Handle = NonNullable<Awaited<ReturnType<typeof openRegular>>>

async function opened<T> (path: string, work: (handle: Handle, stats: Stats) => Promise<T>): Promise<T> {
  const handle = await openRegular(path)
  if (handle === null) throw new Unavailable('The file of this conversation is missing or cannot be read')
  try {
    return await work(handle, await handle.stat())
  } finally {
    await handle.close()
  }
}
