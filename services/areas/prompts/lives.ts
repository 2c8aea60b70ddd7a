import { type RunEvent } from '../../agent/protocol.js'
import { type Database } from '../../ground/database/index.js'
import { type PromptCards } from './cards.js'
import { type Expiries } from './expiries.js'
import { type QuestionTime } from './question-time.js'
import { isOpen, type PromptEnd, type PromptRow, type PromptRows } from './rows.js'
import { briefly } from './texts.js'

export type AskEvent = Extract<RunEvent, { t: 'ask' }>

/** `expiresAt` in epoch seconds; null: it does not expire. */
export type OpenedPrompt = Pick<PromptRow, 'id' | 'sessionId' | 'kind' | 'expiresAt'>

/** A prompt that no longer waits, and how it ended. */
export type ClosedPrompt = Pick<PromptRow, 'id' | 'sessionId' | 'streamId' | 'kind' | 'callId' | 'createdAt'> & { end: PromptEnd }

export interface PromptLivesOptions {
  db: Database
  rows: PromptRows
  expiries: Expiries
  questionTime: QuestionTime
  cards: Pick<PromptCards, 'publish'>
  changed: (reason: string, sessionId: string) => void
  /** Called inside the transaction that stores a prompt, once for each. */
  opened: (prompt: OpenedPrompt) => void
  /** Called inside the transaction that closes a prompt, once for each. */
  closed: (prompt: ClosedPrompt) => void
}

/** Manages prompts from the moment a run asks until they are closed: the row, the time limit, and the card on every device. */
export class PromptLives {
  constructor (readonly options: PromptLivesOptions) {}

  /** Stores what a run asks; called inside the transaction that folds its events. */
  begin (sessionId: string, event: AskEvent): void {
    const { db, rows, expiries, questionTime, cards, changed, opened } = this.options
    expiries.begin(event.askId, event.expiresAtMs)
    const isNew = rows.find(event.askId) === undefined
    const isTimedHere = event.kind === 'clarify' && event.expiresAtMs === null
    const expiresAt = isTimedHere ? questionTime.expiryOf(event.body) : event.expiresAtMs === null ? null : event.expiresAtMs / 1000
    // A turn that continues after a stop asks again: the remaining time of its question is in its row.
    if (isNew) opened({ id: event.askId, sessionId, kind: event.kind, expiresAt })
    if (isNew && isTimedHere) db.afterCommit(() => questionTime.begin({ id: event.askId, sessionId, streamId: event.runId, expiresAt }))
    rows.insert({
      id: event.askId,
      sessionId,
      streamId: event.runId,
      kind: event.kind,
      body: event.body,
      callId: event.callId,
      beside: event.beside,
      expiresAt
    })
    changed('attention_pending', sessionId)
    db.afterCommit(() => cards.publish(sessionId, event.kind))
  }

  /** Stores the change and sends the card that is now on top to all devices; called inside a transaction. */
  end (row: PromptRow, state: PromptEnd): void {
    const { db, rows, expiries, questionTime, cards, changed, closed } = this.options
    rows.close(row.id, state, row.kind === 'approval' ? briefly(row.body) : null)
    db.afterCommit(() => {
      expiries.end(row.id)
      questionTime.end(row.id)
    })
    closed({ ...row, end: state })
    changed('attention_resolved', row.sessionId)
    db.afterCommit(() => cards.publish(row.sessionId, row.kind))
  }

  /** Both the answer and an event of the run close a prompt; the first one does. */
  endOpen (id: string, state: PromptEnd): void {
    const row = this.options.rows.find(id)
    if (row !== undefined && isOpen(row)) this.end(row, state)
  }

  /** Adjusts stored times after the wall clock was set, because people see them and the next start uses them. To be called now and then. */
  async followClock (): Promise<void> {
    const { db, rows, expiries, questionTime, cards } = this.options
    const open = rows.everyOpen().map(({ prompt }) => prompt)
    // Prompts of deleted sessions are never closed.
    expiries.keepOnly(new Set(open.map(({ id }) => id)))
    await questionTime.review()
    const moved = open.flatMap((row) => {
      const expiresAt = expiries.of(row)
      return expiresAt === row.expiresAt ? [] : [{ ...row, expiresAt }]
    })
    if (moved.length === 0) return
    await db.durably(() => { for (const { id, expiresAt } of moved) rows.setExpiry(id, expiresAt) })
    for (const { sessionId, kind } of moved) cards.publish(sessionId, kind)
  }
}
