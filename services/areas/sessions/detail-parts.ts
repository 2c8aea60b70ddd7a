import { createPace } from '../../ground/concurrency/pace.js'
import { type LivenessOf } from './liveness.js'
import { type Variant } from './message-rows.js'
import { type SessionRow } from './rows.js'
import { type Transcript } from './transcript.js'
import { activeUser, type Window } from './transcript-reads.js'

/** A transcript as the texts of JSON lists, without their brackets. */
export interface Parts { messages: Buffer[], toolCalls: Buffer[], offset: number }
/** What was read of a transcript so far, and the state that it depends on. */
interface Gathering {
  rows: number
  lastId: string | undefined
  shownAs: Variant
  userMessageId: string | null
  messages: Buffer[]
  toolCalls: Buffer[]
}

export interface PartsOptions {
  liveness: Pick<LivenessOf, 'stream'>
  get: (id: string) => SessionRow
  transcript: Transcript
  variant: () => Variant
}

/** Reads the messages of session objects: at once, or in portions if there are many. */
export function createParts ({ liveness, get, transcript, variant }: PartsOptions) {
  const userMessageOf = (id: string): string | null => liveness.stream(id)?.userMessageId ?? null

  const begun = (id: string): Gathering => ({
    rows: 0, lastId: undefined, shownAs: variant(), userMessageId: userMessageOf(id), messages: [], toolCalls: []
  })

  /** Whether another read would still return what was read. */
  const isSame = (id: string, { rows, lastId, shownAs, userMessageId }: Gathering): boolean =>
    shownAs === variant() && userMessageId === userMessageOf(id) && (rows === 0 || transcript.idAt(id, rows - 1) === lastId)

  /** Reads a few more rows. Returns false when none is left. */
  function readOn (id: string, so: Gathering): boolean {
    const rows = transcript.portion(id, so.rows, get(id).messageCount, so.shownAs)
    if (rows.length === 0) return false
    const bodies = rows.map((row) => row.messageId === so.userMessageId ? activeUser(row.body) : row.body)
    so.messages.push(Buffer.from(`${so.rows === 0 ? '' : ','}${bodies.join(',')}`))
    const cards = rows.flatMap(({ card }) => card === null ? [] : [card])
    if (cards.length > 0) so.toolCalls.push(Buffer.from(`${so.toolCalls.length === 0 ? '' : ','}${cards.join(',')}`))
    so.rows += rows.length
    so.lastId = rows.at(-1)?.messageId
    return true
  }

  return {
    /** Reads a window of a transcript, or all of it. `activeUserMessageId`: the message that the running turn answers. */
    read (row: SessionRow, window: Window, activeUserMessageId: string | null): Parts {
      // The usual whole transcript: the stored texts are joined without parsing any row.
      const end = Math.min(Math.max(0, window.before ?? row.messageCount), row.messageCount)
      if (window.limit === undefined && activeUserMessageId === null) {
        const whole = transcript.whole(row.id, end, variant())
        return { messages: [whole.messages], toolCalls: [whole.toolCalls], offset: 0 }
      }
      const { messages, toolCalls, offset } = transcript.slice(row.id, row.messageCount, window, activeUserMessageId, variant())
      return { messages: [Buffer.from(messages.join(','))], toolCalls: [Buffer.from(toolCalls.join(','))], offset }
    },

    /** Reads a whole transcript as it stands when this returns: a read in portions starts again if rows that were read have changed. */
    async gather (id: string): Promise<{ parts: Parts, isCurrent: () => boolean }> {
      const pace = createPace()
      let so = begun(id)
      for (;;) {
        if (!isSame(id, so)) so = begun(id)
        if (!readOn(id, so)) break
        await pace()
      }
      const { rows, messages, toolCalls } = so
      return { parts: { messages, toolCalls, offset: 0 }, isCurrent: () => isSame(id, so) && get(id).messageCount === rows }
    }
  }
}
