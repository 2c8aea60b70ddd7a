import { createHash } from 'node:crypto'
import { createPace } from '../../ground/concurrency/pace.js'
import { follow, hunksOf, linesOf, locate, type Followed, type Hunk, type Range } from './following.js'
import { type Comment, type ReviewRows } from './rows.js'

/** A file of a session's workspace; `text` null: no text, or too large. `version` changes with its content. */
export interface SessionFile { version: string, text: string | null }

/** Reads a file, wherever the workspace is; null: there is none. Throws Unavailable when its machine does not answer. */
export type ReadFile = (sessionId: string, path: string) => Promise<SessionFile | null>

/** Where the lines of a comment are: in that content, or only by what they say. */
export interface Place extends Range { text: string | null }

/** What a comment has come to. */
export interface Standing {
  /** Null: its file is gone, or its lines are not to be found. */
  place: Range | null
  isChanged: boolean
  isNear: boolean
  isDeleted: boolean
}

/** The largest file whose content is kept for comments on it. */
export const mostKeptChars = 128 * 1024
const mostComparisons = 300

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)
const gone: Standing = { place: null, isChanged: true, isNear: true, isDeleted: true }

/** Finds the lines of comments again. Comparisons are kept, as the same files are looked at often. */
export class Places {
  readonly #hunks = new Map<string, Hunk[] | null>()

  constructor (private readonly rows: Pick<ReviewRows, 'textOf'>) {}

  /** Where a new comment lies in a file; null: not to be found there. */
  begin ({ anchor, line, side }: Pick<Comment, 'anchor' | 'line' | 'side'>, text: string): Place | null {
    const range = locate(anchor, linesOf(text), line, side)
    return range === null ? null : { ...range, text: text.length <= mostKeptChars ? text : null }
  }

  /** What has become of the lines of a comment in a file as it is now; null: the file is gone. */
  #standing (comment: Comment, file: SessionFile | null): Standing {
    const { sessionId, anchor, side, line, placeText, placeLine, placeEnd } = comment
    if (file === null) return gone
    if (file.text === null) return { place: null, isChanged: false, isNear: false, isDeleted: false }
    const now = linesOf(file.text)
    const kept = placeText === null ? undefined : this.rows.textOf(sessionId, placeText)
    if (kept !== undefined && placeText !== null && placeLine !== null && placeEnd !== null) {
      const before = linesOf(kept)
      const range = { line: placeLine, endLine: placeEnd }
      const hunks = this.#compare(placeText, before, hashOf(file.text), now)
      if (hunks !== null) return standingOf(follow(before, now, range, hunks))
      const place = locate({ before: [], lines: before.slice(placeLine - 1, placeEnd), after: [] }, now, placeLine, 'new')
      return place === null ? { ...gone, isDeleted: false } : unchanged(place)
    }
    const place = locate(anchor, now, placeLine ?? line, side)
    // Nothing is known of it from before: what was not found then cannot have changed since.
    return place !== null ? unchanged(place) : placeLine === null ? { ...unchanged(null) } : { ...gone, isDeleted: false }
  }

  /** What each of some comments has come to, in their order; others get their turn in between. */
  async standings (
    comments: readonly Comment[], fileOf: (comment: Comment) => SessionFile | null
  ): Promise<Array<{ comment: Comment, file: SessionFile | null, standing: Standing }>> {
    const pace = createPace()
    const found = []
    for (const comment of comments) {
      await pace()
      const file = fileOf(comment)
      found.push({ comment, file, standing: this.#standing(comment, file) })
    }
    return found
  }

  #compare (hash: string, before: string[], nowHash: string, now: string[]): Hunk[] | null {
    if (hash === nowHash) return []
    const key = `${hash} ${nowHash}`
    const known = this.#hunks.get(key)
    if (known !== undefined) return known
    const hunks = hunksOf(before, now)
    this.#hunks.set(key, hunks)
    const [oldest] = this.#hunks.keys()
    if (this.#hunks.size > mostComparisons && oldest !== undefined) this.#hunks.delete(oldest)
    return hunks
  }
}

function standingOf ({ line, endLine, isChanged, isNear, isDeleted }: Followed): Standing {
  return { place: { line, endLine }, isChanged, isNear, isDeleted }
}

const unchanged = (place: Range | null): Standing => ({ place, isChanged: false, isNear: false, isDeleted: false })
