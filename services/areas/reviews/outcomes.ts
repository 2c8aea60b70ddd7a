import { isDiskTrouble, type Database } from '../../ground/database/index.js'
import { type Log } from '../../ground/log.js'
import { type Chat } from '../chat/index.js'
import { answersIn } from './message.js'
import { hashOf, mostKeptChars, type Places, type ReadFile, type SessionFile, type Standing } from './comment-places.js'
import { type Comment, type ReviewRows } from './rows.js'

export interface CommentOutcomesOptions {
  db: Database
  chat: Pick<Chat, 'isSettled' | 'turns'>
  rows: ReviewRows
  places: Places
  readFile: ReadFile
  /** Returns the files that were renamed since a turn began: new names by old names. */
  renamed: (sessionId: string, streamId: string) => Promise<ReadonlyMap<string, string>>
  /** Marks the review of a session as changed, inside the transaction that changes it. Returns its new version. */
  changed: (sessionId: string) => number
  log: Log
}

type Outcome = Pick<Comment, 'state' | 'changedIn' | 'answer'>

/** Returns the outcome of a comment: its lines were changed, it was answered, or neither. */
export function commentOutcome ({ isNear }: Pick<Standing, 'isNear'>, path: string, answer: string | undefined): Outcome {
  return {
    state: isNear ? 'changed' : answer !== undefined ? 'answered' : 'open', changedIn: isNear ? path : null, answer: answer ?? null
  }
}

/**
 * Determines the outcome of comments that were sent. A comment belongs to the turn whose message names it, however that message got there:
 * at once, through the queue, by steering or in a retry. Changes are read from the files, never from what the model says; its words are
 * stored besides that. Nothing is kept in memory: after a kill, the next start continues from the rows.
 */
export class CommentOutcomes {
  /** Sessions that are being settled, each with the end of its chain. */
  readonly #running = new Map<string, Promise<void>>()
  #isStopped = false

  constructor (private readonly options: CommentOutcomesOptions) {
    const { chat: { turns } } = options
    turns.on('ended', ({ sessionId }) => {
      // Its rows have not been stored yet.
      options.db.enqueue({ write: () => {}, committed: () => { void this.settle(sessionId) } })
    })
    turns.on('stopping', () => { this.#isStopped = true })
  }

  /** Settles all comments that were sent in a session. Never rejects. */
  async settle (sessionId: string): Promise<void> {
    const before = this.#running.get(sessionId) ?? Promise.resolve()
    const now = before.then(async () => await this.#settleNow(sessionId)).catch((error: unknown) => {
      if (!this.#isStopped && !isDiskTrouble(error)) {
        this.options.log('the state of comments could not be determined', { session: sessionId, reason: String(error) })
      }
    }).finally(() => { if (this.#running.get(sessionId) === now) this.#running.delete(sessionId) })
    this.#running.set(sessionId, now)
    await now
  }

  /** Called after a start of the service. Never rejects. */
  async recover (): Promise<void> {
    for (const sessionId of this.options.rows.waiting()) await this.settle(sessionId)
  }

  /** Returns how many sessions are being settled, for tests and metrics. */
  size (): number {
    return this.#running.size
  }

  async #settleNow (sessionId: string): Promise<void> {
    const { db, rows, chat, changed } = this.options
    if (this.#isStopped) return
    const sent = rows.list(sessionId).filter(({ state }) => state === 'sent')
    if (sent.length === 0) return
    const found = sent.map((comment) => ({ comment, in: rows.sentIn(sessionId, comment.id, comment.sentAt ?? 0) }))
    const over = found.filter(({ in: turn }) => turn?.isOver === true)
    const judged: Array<{ comment: Comment, values: Partial<Comment>, text: string | null }> = []
    for (const streamId of new Set(over.map(({ in: turn }) => turn?.streamId ?? ''))) {
      const comments = over.filter(({ in: turn }) => turn?.streamId === streamId).map(({ comment }) => comment)
      judged.push(...await this.#judge(sessionId, streamId, comments))
    }
    // Queued comments are moved along with the files, so that they are compared with the state in which their own turn begins.
    const unread = found.filter(({ in: turn }) => turn === null).map(({ comment }) => comment)
    const queued = unread.filter(({ id }) => rows.isQueued(sessionId, id))
    if (over.length > 0) judged.push(...await this.#rebase(sessionId, queued))
    const lost = chat.isSettled(sessionId) ? unread.filter(({ id }) => !rows.isQueued(sessionId, id)) : []
    if (judged.length + lost.length === 0 || this.#isStopped) return
    await db.durably(() => {
      const isMeant = ({ id, version }: Comment): boolean => rows.find(sessionId, id)?.version === version
      const meant = judged.filter(({ comment }) => isMeant(comment))
      // The message was removed from the queue, or was cut off together with the comment: it has not reached the agent.
      const back = lost.filter(isMeant)
      if (meant.length + back.length === 0) return
      const version = changed(sessionId)
      for (const { comment, values, text } of meant) {
        if (text !== null && values.placeText != null) rows.keepText(sessionId, values.placeText, text)
        rows.change(comment, { ...values, version })
      }
      for (const comment of back) rows.change(comment, { state: 'draft', sentAt: null, streamId: null, version })
      rows.sweepTexts(sessionId)
    })
  }

  async #judge (sessionId: string, streamId: string, comments: readonly Comment[]) {
    const { rows } = this.options
    const answers = answersIn(rows.saidIn(sessionId, streamId), comments.map(({ id }) => id))
    const files = await this.#filesOf(sessionId, comments, async () => await this.options.renamed(sessionId, streamId))
    const found = await this.options.places.standings(comments, ({ placePath }) => files.get(placePath)?.file ?? null)
    return found.map(({ comment, file, standing }) => {
      const path = files.get(comment.placePath)?.path ?? comment.placePath
      return {
        comment,
        values: { ...commentOutcome(standing, path, answers.get(comment.id)), streamId, ...placed(standing, path, file) },
        text: file?.text ?? null
      }
    })
  }

  async #rebase (sessionId: string, comments: readonly Comment[]) {
    const files = await this.#filesOf(sessionId, comments, async () => new Map())
    const found = await this.options.places.standings(comments, ({ placePath }) => files.get(placePath)?.file ?? null)
    return found.flatMap(({ comment, file, standing }) => {
      const path = files.get(comment.placePath)?.path ?? comment.placePath
      return standing.place === null ? [] : [{ comment, values: placed(standing, path, file), text: file?.text ?? null }]
    })
  }

  async #filesOf (
    sessionId: string, comments: readonly Comment[], renames: () => Promise<ReadonlyMap<string, string>>
  ): Promise<Map<string, { path: string, file: SessionFile | null }>> {
    const { readFile } = this.options
    const files = new Map<string, { path: string, file: SessionFile | null }>()
    for (const { placePath: path } of comments) if (!files.has(path)) files.set(path, { path, file: await readFile(sessionId, path) })
    const missing = [...files.values()].filter(({ file }) => file === null)
    if (missing.length > 0) {
      const names = await renames()
      for (const { path } of missing) {
        const now = names.get(path)
        if (now !== undefined) files.set(path, { path: now, file: await readFile(sessionId, now) })
      }
    }
    return files
  }
}

/** Returns the new place from which the comment is followed from now on. */
function placed ({ place }: Standing, placePath: string, file: SessionFile | null): Partial<Comment> {
  if (place === null) return { placePath }
  const isKept = file?.text != null && file.text.length <= mostKeptChars
  return { placePath, placeText: isKept ? hashOf(file.text ?? '') : null, placeLine: place.line, placeEnd: place.endLine }
}
