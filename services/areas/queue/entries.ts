import { randomBytes } from 'node:crypto'
import { type Attachment } from '../../agent/protocol.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Conflict, Forbidden, Invalid, NotFound } from '../../ground/errors.js'
import { redactAhead } from '../../ground/redaction/index.js'
import { type MessageInput, type TurnWishes } from '../chat/index.js'
import { type Sessions } from '../sessions/index.js'
import { type Entry, type QueueRows, type StoredHold } from './rows.js'

/**
 * A message to be queued. `index`: its place, by default the end; `notBefore`: epoch seconds; `held`: afterwards the queue is held for this
 * reason, as it was before the message was removed.
 */
export interface NewMessage extends Omit<MessageInput, 'accepted' | 'expanded' | 'unaccepted'> {
  index?: number
  notBefore?: number
  held?: StoredHold | undefined
}

/** The fields that an edit replaces; absent ones stay as they are. `model` empty: that of the session; `notBefore` 0: no time. */
export interface EntryChange extends TurnWishes {
  message?: string | undefined
  attachments?: Attachment[] | undefined
  model?: string | undefined
  modelProvider?: string | undefined
  explicitModelPick?: boolean | undefined
  workspace?: string | undefined
  notBefore?: number | undefined
}

/** The position of a message: 1 is the next one. */
export interface Place { id: string, position: number }

/** An entry as a client refers to it; without a version, in any state. */
export interface EntryRef { sessionId: string, id: string, version?: number | undefined }

/** Called in the transaction that makes the change. */
export type Accepted<Result> = (result: Result) => void

export interface EntriesOptions {
  db: Database
  clock: Clock
  sessions: Pick<Sessions, 'get'>
  rows: QueueRows
  /** Marks the queue of a session as changed, inside the transaction that changes it. Returns its new version. */
  changed: (sessionId: string) => number
}

export const mostEntries = 100
export const mostBytes = 4 * 1024 * 1024

export const stale = (): Conflict =>
  new Conflict('This message was changed or has left the queue. Read the queue again', 'queue_changed')
const full = (): Conflict =>
  new Conflict(`A queue holds at most ${mostEntries} messages and 4 MiB. Wait until some have started, or remove some`, 'queue_full')

/**
 * The changes that a person makes to what waits: adding, editing, moving and removing messages. Each change is stored before it is
 * answered. Functions that take an entry throw NotFound, Forbidden for a read-only session, and Conflict (`queue_changed`) unless the entry
 * is in the state that is meant.
 */
export function createEntries ({ db, clock, sessions, rows, changed }: EntriesOptions) {
  /** Throws NotFound, and Forbidden if the session is read-only. */
  function assertSpeakable (sessionId: string, profile?: string): void {
    const session = sessions.get(sessionId)
    if (profile !== undefined && profile !== session.profile) throw new NotFound('Session not found')
    if (session.readOnly) throw new Forbidden('This session is read-only')
  }

  function meant ({ sessionId, id, version }: EntryRef): Entry {
    assertSpeakable(sessionId)
    const entry = rows.find(sessionId, id)
    if (entry === undefined || (version !== undefined && version !== entry.version)) throw stale()
    return entry
  }

  /** Throws Conflict (`queue_full`) if there are more than `most` messages, or `added` more bytes would be too many. */
  function assertRoom (sessionId: string, added: number, most: number): void {
    const there = rows.list(sessionId)
    if (there.length > most || there.reduce((sum, { sizeBytes }) => sum + sizeBytes, added) > mostBytes) throw full()
  }

  const change = async <Result>(work: () => Result, accepted?: Accepted<Result>): Promise<Result> => await db.durably(() => {
    const result = work()
    accepted?.(result)
    return result
  })

  return {
    meant,

    /** Throws NotFound, Forbidden, Invalid for a blank message, and Conflict (`queue_full`). */
    async add (wanted: NewMessage, accepted?: Accepted<Place>): Promise<Place> {
      const { sessionId, profile, message, attachments, held, index = Infinity } = wanted
      if (message.trim() === '') throw new Invalid('message is required')
      await redactAhead(message)
      return await change(() => {
        assertSpeakable(sessionId, profile)
        const sizeBytes = sizeOf(message, attachments)
        assertRoom(sessionId, sizeBytes, mostEntries - 1)
        const id = randomBytes(8).toString('hex')
        rows.insert({ ...entryOf(wanted), id, sizeBytes, version: changed(sessionId), createdAt: epochSeconds(clock) }, index)
        if (held !== undefined) rows.hold(sessionId, held)
        return { id, position: rows.list(sessionId).findIndex((entry) => entry.id === id) + 1 }
      }, accepted)
    },

    /** Also throws Invalid for a blank message, and Conflict (`queue_full`). */
    async edit (
      of: EntryRef, { message, attachments, ...wanted }: EntryChange, accepted?: Accepted<void>
    ): Promise<void> {
      if (message?.trim() === '') throw new Invalid('message is required')
      await redactAhead(message ?? '')
      await change(() => {
        const entry = meant(of)
        const { effort = entry.effort, personality = entry.personality, workspace = entry.workspace } = wanted
        const notBefore = wanted.notBefore === undefined ? entry.notBefore : wanted.notBefore === 0 ? null : wanted.notBefore
        const now = {
          message: message ?? entry.message, attachments: attachments ?? entry.attachments, effort, personality, workspace, notBefore,
          ...modelAfter(entry, wanted)
        }
        // Whoever changes the words has typed them.
        const messageSource = now.message === entry.message ? entry.messageSource : null
        const sizeBytes = sizeOf(now.message, now.attachments)
        // A turn may have returned more messages than fit. They can still be edited.
        if (sizeBytes > entry.sizeBytes) assertRoom(of.sessionId, sizeBytes - entry.sizeBytes, Infinity)
        rows.change(entry.id, { ...now, messageSource, sizeBytes, version: changed(of.sessionId) })
      }, accepted)
    },

    /** Moves an entry to an index in the order, from 0; beyond the end means the end. */
    move: async (of: EntryRef, index: number, accepted?: Accepted<void>): Promise<void> => await change(() => {
      const { id, sessionId } = meant(of)
      rows.put(sessionId, id, index)
      rows.change(id, { version: changed(sessionId) })
    }, accepted),

    /** Makes an entry the next one, whatever time it waits for. */
    first: async (of: EntryRef, accepted?: Accepted<void>): Promise<void> => await change(() => {
      const { id, sessionId } = meant(of)
      rows.put(sessionId, id, 0)
      rows.change(id, { version: changed(sessionId), notBefore: null })
    }, accepted),

    remove: async (of: EntryRef, accepted?: Accepted<void>): Promise<void> => await change(() => {
      const entry = meant(of)
      rows.remove(entry)
      changed(entry.sessionId)
    }, accepted),

    /** Removes all entries known as of that version. Throws Conflict (`queue_changed`) if any is newer. */
    clear: async (sessionId: string, version?: number, accepted?: Accepted<void>): Promise<void> => await change(() => {
      assertSpeakable(sessionId)
      const entries = rows.list(sessionId)
      if (version !== undefined && entries.some((entry) => entry.version > version)) throw stale()
      if (entries.length === 0) return
      rows.clear(sessionId)
      changed(sessionId)
    }, accepted),

    /** Resumes the queue, whatever holds it. */
    resume: async (sessionId: string, accepted?: Accepted<void>): Promise<void> => await change(() => {
      assertSpeakable(sessionId)
      if (rows.count(sessionId) === 0) return
      rows.resumed(sessionId, epochSeconds(clock))
      changed(sessionId)
    }, accepted)
  }
}

export type Entries = ReturnType<typeof createEntries>

const entryOf = ({
  sessionId, message, attachments, workspace, model, modelProvider, explicitModelPick, effort, personality, notBefore, source
}: NewMessage) => ({
  sessionId, message, attachments, explicitModelPick, model: model ?? null, modelProvider: modelProvider ?? null, effort: effort ?? null,
  personality: personality ?? null, workspace: workspace ?? null, notBefore: notBefore ?? null, messageSource: source ?? null
})

/**
 * Returns an entry again whose text was sent to a turn, from the JSON that was kept of it. An earlier version may have kept it, so what it
 * lacks is as in a new message.
 */
export function entryOfKept (kept: string, { sessionId, text }: { sessionId: string, text: string }): Omit<Entry, 'position' | 'version'> {
  const { id, createdAt, attachments = [], explicitModelPick = false, ...fields } = JSON.parse(kept) as KeptEntry
  const present = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
  return {
    ...entryOf({
      ...present, sessionId, message: text, attachments, explicitModelPick, source: fields.messageSource ?? undefined, notBefore: undefined
    }),
    id, createdAt, sizeBytes: sizeOf(text, attachments)
  }
}

type KeptEntry = Pick<Entry, 'id' | 'createdAt'> & Partial<Entry>

/** Returns the model of an edited entry. A new model never keeps the provider of the one before. Throws Invalid for a provider alone. */
function modelAfter (
  entry: Entry, { model, modelProvider, explicitModelPick = entry.explicitModelPick }: EntryChange
): Pick<Entry, 'model' | 'modelProvider' | 'explicitModelPick'> {
  const name = model ?? entry.model ?? ''
  if (name === '' && (modelProvider ?? '') !== '') throw new Invalid('model is required with model_provider')
  if (name === '') return { model: null, modelProvider: null, explicitModelPick: false }
  const provider = modelProvider ?? (name === entry.model ? entry.modelProvider : null)
  return { model: name, modelProvider: provider === '' ? null : provider, explicitModelPick }
}

const sizeOf = (message: string, attachments: Attachment[]): number =>
  Buffer.byteLength(message) + (attachments.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(attachments)))
