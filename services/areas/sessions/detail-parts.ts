import { createPace } from '../../ground/concurrency/pace.js'
import { type LivenessOf, type LiveStream } from './liveness.js'
import { type Variant } from './message-rows.js'
import { type SessionRow } from './rows.js'
import { type Transcript } from './transcript.js'
import { activeUser, shortened, type Window } from './transcript-reads.js'

/** A transcript as the texts of JSON lists, without their brackets. */
export interface Parts { messages: Buffer[], toolCalls: Buffer[], offset: number }
/** What was read of a range of a transcript so far, and the state that it depends on. */
interface Reading extends Parts {
  window: Window
  /** The position of the next row, and the end of the range. */
  next: number
  end: number
  lastId: string | undefined
  shownAs: Variant
  userMessageId: string | null
}

/** How often a read in portions begins before it is made at once. */
const mostAttempts = 4

export interface PartsOptions {
  liveness: Pick<LivenessOf, 'stream'>
  get: (id: string) => SessionRow
  transcript: Transcript
  variant: () => Variant
}

/** Reads the messages of session objects: at once, or in portions if there are many. */
export function createParts ({ liveness, get, transcript, variant }: PartsOptions) {
  const userMessageOf = (id: string): string | null => liveness.stream(id)?.userMessageId ?? null

  function begun ({ id, messageCount }: SessionRow, window: Window, userMessageId: string | null): Reading {
    const { offset, end } = transcript.range(id, messageCount, window)
    return {
      window, offset, end, next: offset, lastId: undefined, shownAs: variant(), userMessageId,
      messages: [], toolCalls: []
    }
  }

  /** Whether another read would still return what was read. The range grows with the transcript. */
  function isSame (id: string, so: Reading): boolean {
    const { offset, end } = transcript.range(id, get(id).messageCount, so.window)
    so.end = end
    return offset === so.offset && so.shownAs === variant() && so.userMessageId === userMessageOf(id) &&
      (so.next === so.offset || transcript.idAt(id, so.next - 1) === so.lastId)
  }

  /** Reads a few more rows. Returns false when none is left. */
  function readOn (id: string, so: Reading): boolean {
    const rows = transcript.portion(id, so.next, so.end, so.shownAs)
    if (rows.length === 0) return false
    const isWindow = so.window.limit !== undefined
    // The card of a tool row belongs to its call, so a row whose call is before the window is left out.
    const shown = rows.filter(({ role, assistantPosition }) => !isWindow || role !== 'tool' || (assistantPosition ?? so.offset) >= so.offset)
    add(so.messages, shown.map(({ role, messageId, body }) => {
      const text = isWindow && role === 'tool' ? shortened(body) : body
      return messageId === so.userMessageId ? activeUser(text) : text
    }))
    add(so.toolCalls, shown.flatMap(({ card }) => card ?? []))
    so.next += rows.length
    so.lastId = rows.at(-1)?.messageId
    return true
  }

  /** Reads a window of a transcript, or all of it, at once. `stream`: the active one of the session. */
  function read (row: SessionRow, window: Window, stream: LiveStream | undefined): Parts {
    const so = begun(row, window, stream?.userMessageId ?? null)
    if (window.limit === undefined && so.userMessageId === null) {
      // The usual whole transcript: the stored texts are joined without parsing any row.
      const whole = transcript.whole(row.id, so.end, so.shownAs)
      return { messages: [whole.messages], toolCalls: [whole.toolCalls], offset: 0 }
    }
    while (readOn(row.id, so));
    return so
  }

  return {
    read,

    /**
     * Does the same in portions, so that other work can run in between. `make` is called with the transcript as it stands then: a read
     * starts again if rows that were read have changed or left the window, and reads at once if that goes on.
     */
    async gather<T> (id: string, window: Window, make: (parts: Parts) => T): Promise<T> {
      const pace = createPace()
      for (let attempt = 1; attempt <= mostAttempts; attempt++) {
        const so = begun(get(id), window, userMessageOf(id))
        for (;;) {
          await transcript.portionAhead(id, so.next, so.end, so.shownAs)
          if (!isSame(id, so)) break
          if (!readOn(id, so)) return make(so)
          await pace()
        }
      }
      return make(read(get(id), window, liveness.stream(id)))
    }
  }
}

/** Adds texts to the pieces of a list. */
function add (pieces: Buffer[], texts: string[]): void {
  if (texts.length > 0) pieces.push(Buffer.from(`${pieces.length === 0 ? '' : ','}${texts.join(',')}`))
}
