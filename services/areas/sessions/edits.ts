import { epochSeconds } from '../../ground/time/clock.js'
import { Conflict, Forbidden, NotFound } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'
import { type AuditPort } from '../audit/index.js'
import { createArrivals } from './arrivals.js'
import { createCopies } from './copies.js'
import { textOf } from './message-text.js'
import { type LivenessOf } from './liveness.js'
import { createMaking, type MakingOptions, type SessionAttachments } from './making.js'
import { type SessionRow } from './rows.js'

export interface EditsOptions extends Omit<MakingOptions, 'attachments'> {
  audit: AuditPort
  liveness: LivenessOf
  /** Whether another program continues the session too, so that none of its messages may be removed. */
  isAttached: (id: string) => boolean
  attachments: SessionAttachments
}

/** Edits of transcripts: cutting, copying, importing. All of them are refused while a turn runs. */
export function createEdits (options: EditsOptions) {
  const { db, clock, audit, rows, liveness, transcript, get, isAttached, changed } = options
  const making = createMaking(options)

  /** Returns the session. Throws Forbidden for read-only sessions, and Conflict while a turn runs. */
  function editable (id: string): SessionRow {
    const row = get(id)
    if (row.readOnly) throw new Forbidden('This session is read-only')
    const streamId = liveness.stream(id)?.id
    if (streamId !== undefined) throw new Conflict('session already has an active stream', undefined, { active_stream_id: streamId })
    return row
  }

  function cut (row: SessionRow, keep: number, reason: string): void {
    if (keep >= row.messageCount) return
    if (isAttached(row.id)) {
      throw new Conflict('Messages cannot be removed here, because another program continues this conversation as well. Branch it instead', 'attached_session')
    }
    const nowS = epochSeconds(clock)
    transcript.truncate(row.id, keep, nowS)
    rows.touchCut(row.id, nowS)
    // Unless it was taken back, what is sent next is another version of the first message that was cut off.
    rows.dropVersions(row.id, reason === 'session_clear' || reason === 'session_undo' ? keep : keep + 1)
    changed(reason, row.id)
  }

  /**
   * Finds the message with which the last turn began: not one that was typed during the turn, and not a row that only carries results of
   * calls.
   */
  function lastTurn (id: string): { position: number, text: string } | null {
    for (const { position, body } of transcript.requests(id)) {
      const { content, attachments } = fieldsOf(JSON.parse(body))
      const text = textOf(content)
      if (text.trim() !== '' || (Array.isArray(attachments) && attachments.length > 0)) return { position, text }
    }
    return null
  }

  /** Removes the last turn and returns its message; null if there is no turn. */
  async function removeLastTurn (id: string, reason: string): Promise<{ text: string, removed: number } | null> {
    const taken = await db.durably(() => {
      const row = editable(id)
      const last = lastTurn(id)
      if (last === null) return null
      cut(row, last.position, reason)
      return { text: last.text, removed: row.messageCount - last.position }
    })
    void making.clearAway(id)
    return taken
  }

  return {
    /** Keeps the first `keep` messages; does nothing if there are no more than that. If many rows are cut, they are removed later. */
    async truncate (id: string, keep: number, reason = 'session_truncate'): Promise<void> {
      await db.durably(() => {
        const row = editable(id)
        cut(row, keep, reason)
        if (keep < row.messageCount) audit.record('session.cut', { session: id, removed: row.messageCount - keep })
      })
      void making.clearAway(id)
    },

    /** Removes the last turn. Returns null if there is nothing to undo. */
    undo: (id: string): Promise<{ text: string, removed: number } | null> => removeLastTurn(id, 'session_undo'),

    /** Removes the last turn too, so that its message can be sent again. */
    retry: (id: string): Promise<{ text: string, removed: number } | null> => removeLastTurn(id, 'session_retry'),

    /** Returns what a person has typed. Throws NotFound. */
    typed (id: string, index: number): { messageId: string, text: string } {
      get(id)
      const found = transcript.typedAt(id, index)
      if (found === null) throw new NotFound('There is no message of yours at this position')
      return found
    },

    ...createCopies({ ...options, make: making.make }),
    ...createArrivals({ ...options, make: making.make }),
    finishInterrupted: making.finishInterrupted,
    discard: making.discard,
    editable
  }
}

export type Edits = ReturnType<typeof createEdits>
