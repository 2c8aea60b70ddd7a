import { Conflict } from '../../ground/errors.js'
import { type Chat } from '../chat/index.js'
import { BeingRemoved, type SessionRow, type Sessions } from '../sessions/index.js'
import { type QueueAdvance } from './advance.js'
import { entryOfKept, stale, type Accepted, type Entries, type EntryRef, type NewMessage, type Place } from './entries.js'
import { type Entry, type QueueRows } from './rows.js'

/**
 * `started`: the message has begun a turn. `steered`: the running turn has received it. `next`: the turn could not take it, so it is next
 * in the queue.
 */
export type SendOutcome = 'started' | 'steered' | 'next'

export interface QueueSendingOptions {
  chat: Pick<Chat, 'hasBegun' | 'steer' | 'isLive' | 'turns'>
  sessions: Pick<Sessions, 'get'>
  rows: QueueRows
  entries: Pick<Entries, 'add' | 'first' | 'meant'>
  advance: QueueAdvance
  changed: (sessionId: string) => number
}

/** Sends messages at once if possible, bypassing the order of the queue if a person wants that. */
export function createQueueSending ({ chat, sessions, rows, entries, advance, changed }: QueueSendingOptions) {
  /** Passes an entry's text to the running turn; if the turn does not accept it, the entry becomes the next one. */
  async function steer (entry: Entry, accepted?: Accepted<SendOutcome>): Promise<'steered' | 'next'> {
    const { message, ...kept } = entry
    const { sessionId, id } = entry
    const { accepted: isTaken } = await chat.steer(sessionId, message, {
      kept: JSON.stringify(kept),
      taken: () => {
        if (!rows.remove(entry)) throw stale()
        changed(sessionId)
        accepted?.('steered')
      },
      returned: () => {
        rows.insert({ ...entry, version: changed(sessionId) }, 0)
        accepted?.('next')
      }
    })
    if (isTaken) return 'steered'
    await entries.first({ sessionId, id }, () => accepted?.('next')).catch((error: unknown) => {
      // The turn is over, and the message may have begun.
      if (!(error instanceof Conflict) || rows.find(sessionId, id) !== undefined) throw error
    })
    return 'next'
  }

  /** Makes entries that the model never got the next ones again, in their order and also if the queue is full. A hold stays as it is. */
  chat.turns.on('steersReturned', (sessionId, steers) => {
    const version = (rows.queue(sessionId)?.version ?? 0) + 1
    for (const [index, { text, origin }] of steers.entries()) {
      rows.insert({ ...entryOfKept(origin, { sessionId, text }), version }, index)
    }
    changed(sessionId)
  })

  return {
    /**
     * Begins a message with `start`, or queues it if it cannot begin at once: a turn is running, other messages wait, or its worktree is
     * being removed. A message that has begun its turn already is not queued.
     */
    async send<Started> (input: NewMessage, start: () => Promise<Started>, accepted?: Accepted<Place>): Promise<Started | Place> {
      const { sessionId } = input
      // Messages that wait go first, also while their queue is held.
      if ((!chat.isLive(sessionId) && rows.count(sessionId) === 0) || await chat.hasBegun(input)) {
        try {
          return await start()
        } catch (error) {
          const isBusy = error instanceof Conflict && error.details['active_stream_id'] !== undefined
          if (!isBusy && !(error instanceof BeingRemoved)) throw error
        }
      }
      return await entries.add(input, accepted)
    },

    /**
     * Sends an entry before all others, even if the queue is held, which it stays. Throws Conflict (`queue_changed`), and the errors of
     * starting a turn.
     */
    async sendNow (of: EntryRef, accepted?: Accepted<SendOutcome>): Promise<SendOutcome> {
      const entry = entries.meant(of)
      if (!chat.isLive(entry.sessionId)) {
        await advance.begin(entry, { alongside: () => accepted?.('started') })
        return 'started'
      }
      if (isTextAlone(entry, sessions.get(entry.sessionId))) return await steer(entry, accepted)
      await entries.first(of, () => accepted?.('next'))
      return 'next'
    }
  }
}

/** Whether a running turn can take all of a message: nothing but its text, and no model, effort, personality or folder of its own. */
const isTextAlone = (
  { attachments, model, effort, personality, workspace }: Entry, { workspace: usual }: Pick<SessionRow, 'workspace'>
): boolean => attachments.length === 0 && model === null && effort === null && personality === null &&
  (workspace === null || workspace === usual)
