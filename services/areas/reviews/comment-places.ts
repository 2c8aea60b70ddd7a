import { createHash } from 'node:crypto'
import { createPace } from '../../ground/concurrency/pace.js'
import { keepNewest } from '../../ground/keep-newest.js'
import { follow, hunksOf, linesOf, locate, type Followed, type Hunk, type Range } from './following.js'
import { type Comment, type ReviewRows } from './rows.js'

/** A file of a session's workspace; `text` is null if it is not text, or too large. `version` changes with its content. */
export interface SessionFile { version: string, text: string | null }

/** Reads a file, wherever the workspace is; null if it does not exist. Throws Unavailable if its machine does not answer. */
export type ReadFile = (sessionId: string, path: string) => Promise<SessionFile | null>

/** The place of a comment's lines: in that content, or null if they can only be found by their own text. */
export interface Place extends Range { text: string | null }

/** The present state of a comment's lines. */
export interface Standing {
  /** null if its file is gone, or its lines cannot be found. */
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

/** Finds the lines of comments again. Caches comparisons, because the same files are looked at often. */
export class Places {
  readonly #hunks = new Map<string, Hunk[] | null>()

  constructor (private readonly rows: Pick<ReviewRows, 'textOf'>) {}

  /** Returns the place of a new comment in a file; null if it cannot be found there. */
  begin ({ anchor, line, side }: Pick<Comment, 'anchor' | 'line' | 'side'>, text: string): Place | null {
    const range = locate(anchor, linesOf(text), line, side)
    return range === null ? null : { ...range, text: text.length <= mostKeptChars ? text : null }
  }

  /** Returns the state of a comment's lines in the present file; null: the file is gone. */
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
    // Without an earlier place: lines that were not found then cannot have changed since.
    return place !== null ? unchanged(place) : placeLine === null ? { ...unchanged(null) } : { ...gone, isDeleted: false }
  }

  /** Returns the states of comments, in their order; other work gets its turn in between. */
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
    keepNewest(this.#hunks, mostComparisons)
    return hunks
  }
}

function standingOf ({ line, endLine, isChanged, isNear, isDeleted }: Followed): Standing {
  return { place: { line, endLine }, isChanged, isNear, isDeleted }
}

const unchanged = (place: Range | null): Standing => ({ place, isChanged: false, isNear: false, isDeleted: false })
