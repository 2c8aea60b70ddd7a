import { computed, signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError, type Api, type Wire } from '../service/api.js'
import { planPath } from './plan.js'
import { type Anchored } from './review-anchor.js'

export type ReviewComment = Wire<'ReviewComment'>
type Answer = Wire<'Review'>

/** A comment that is being written: a new one, or an edit of the comment `id`. */
export interface Writing extends Anchored {
  path: string
  text: string
  id: string | null
  /** The version of that comment which the edit replaces. */
  version?: number
  /** The diff in which it was begun, if several show its line; absent: it is shown in all of them. */
  view?: string
}

/** The comments on a session's changes as the service has them, the same for all devices. Failures throw ApiError. */
export class Review {
  readonly #state = signal<Answer | null>(null)
  readonly #all: ReadonlySignal<readonly ReviewComment[]> = computed(() => this.#state.value?.comments ?? [])
  /** Comments on files; comments on the plan are shown beside it. */
  readonly comments: ReadonlySignal<readonly ReviewComment[]> = computed(() => this.#all.value.filter(({ path }) => path !== planPath))
  readonly ofPlan: ReadonlySignal<readonly ReviewComment[]> = computed(() => this.#all.value.filter(({ path }) => path === planPath))
  readonly drafts: ReadonlySignal<readonly ReviewComment[]> = computed(() => this.comments.value.filter(({ state }) => state === 'draft'))
  /** Paths of files that were marked as seen and have not changed since. */
  readonly seen: ReadonlySignal<ReadonlySet<string>> = computed(() => new Set(this.#state.value?.seen))
  readonly writing = signal<Writing | null>(null)

  constructor (private readonly api: Api, readonly sessionId: string) {}

  async read (): Promise<void> {
    this.#take(await this.api.get('/api/session/reviews', { session_id: this.sessionId }))
  }

  /**
   * Stores the comment that is being written as a draft. Throws ApiError (`review_changed`) if it was changed, sent or removed meanwhile:
   * the text stays, and replaces the version that is current then if it is stored again.
   */
  async keep (): Promise<void> {
    const writing = this.writing.peek()
    if (writing === null || writing.text.trim() === '') return
    const { id, text, version, view: _, ...of } = writing
    try {
      await this.#change({ comments: [id === null ? { ...of, text } : { id, text, ...(version !== undefined && { version }) }] })
    } catch (error) {
      if (id !== null && error instanceof ApiError && error.code === 'review_changed') await this.#rebase(id)
      throw error
    }
    if (this.writing.peek() === writing) this.writing.value = null
  }

  /** Bases the edit of a comment on its current version; if it was removed, it becomes a new one. */
  async #rebase (id: string): Promise<void> {
    await this.read()
    const writing = this.writing.peek()
    if (writing?.id !== id) return
    const now = this.#all.peek().find((comment) => comment.id === id)
    const { version: _, ...rest } = writing
    this.writing.value = now === undefined ? { ...rest, id: null } : { ...rest, version: now.version }
  }

  resolve = async ({ id, version }: ReviewComment, isResolved: boolean): Promise<void> =>
    await this.#change({ comments: [{ id, version, state: isResolved ? 'resolved' : 'open' }] })

  remove = async ({ id, version }: ReviewComment): Promise<void> => await this.#change({ remove: [{ id, version }] })

  see = async (path: string, isSeen: boolean): Promise<void> => await this.#change({ seen: [{ path, seen: isSeen }] })

  /** Sends drafts as one message. Returns whether it waits in the queue, which it does while a turn runs. */
  async send (drafts = this.drafts.peek()): Promise<boolean> {
    const sent = await this.api.postOnce('/api/session/reviews/send', {
      session_id: this.sessionId, ids: drafts.map(({ id }) => id), if_busy: 'queue'
    })
    await this.read()
    return 'queued' in sent
  }

  async #change (change: Omit<Parameters<typeof this.api.post<'/api/session/reviews'>>[1], 'session_id'>): Promise<void> {
    this.#take(await this.api.postOnce('/api/session/reviews', { session_id: this.sessionId, ...change }))
  }

  /** Ignores an older version, because answers may overtake each other. */
  #take (answer: Answer): void {
    if (answer.version >= (this.#state.peek()?.version ?? 0)) this.#state.value = answer
  }
}

/**
 * Whether a comment is shown below a line: at the last of its lines, where they are now or where they were when it was made. `isPast`: the
 * diff does not show the file as it is now.
 */
export function isBelow (
  { path, side, end_line: end, place, quote }: ReviewComment, at: string,
  line: { readonly kind: string, readonly text: string, readonly before: number | null, readonly after: number | null }, isPast = false
): boolean {
  if (side === 'old') return path === at && line.kind === 'del' && line.before === end && line.text === quote.at(-1)
  if (isPast) return path === at && line.after === end && line.text === quote.at(-1)
  return place !== null && place.path === at && place.end_line >= place.line && line.after === place.end_line
}
