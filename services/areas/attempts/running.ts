import { asError } from '../../ground/errors.js'
import { createQueue } from '../../ground/concurrency/queue.js'
import { epochSeconds } from '../../ground/time/clock.js'
import { redact } from '../../ground/redaction/index.js'
import { type TurnOutcome } from '../chat/index.js'
import { accountOf, budgetOf, type Context } from './context.js'
import { type AttemptJudge } from './judging.js'
import { attemptOf, readable, resultOf } from './results.js'
import { type AttemptRow, type AttemptsRow } from './rows.js'

const settled = ['done', 'failed', 'cancelled', 'stopped'] as const
export const isSettled = ({ state }: Pick<AttemptRow, 'state'>): boolean => settled.some((end) => end === state)

/**
 * The turns of attempts, and what follows each of them: its diff is measured, the check runs, the reviewer is asked; when all are over, the
 * judge is asked. Every step is a state in the row, from which it continues after a stop of the service.
 */
export class AttemptRuns {
  #isStopped = false
  /** Checks run one at a time, because they share the machine. */
  readonly #checks = createQueue()
  /** Work in progress after turns, by session. */
  readonly #settling = new Map<string, AbortController>()

  constructor (private readonly context: Context, private readonly judge: AttemptJudge) {
    const { turns } = context.chat
    turns.on('stopping', () => {
      this.#isStopped = true
      for (const controller of this.#settling.values()) controller.abort()
    })
    turns.on('ended', ({ sessionId, streamId }, outcome) => this.#turnEnded(sessionId, streamId, outcome))
    // The removed attempt may have been the last one that the others waited for.
    context.sessions.on('removed', () => {
      for (const { id, state } of context.rows.open()) if (state === 'running') void this.conclude(id)
    })
  }

  /** Begins the turns of attempts that wait. Never rejects. */
  async begin (row: AttemptsRow): Promise<void> {
    const { rows } = this.context
    for (const member of rows.members(row.id)) {
      if (member.state !== 'waiting' || this.#isStopped) continue
      await this.#open(row, member).catch((error: unknown) => {
        if (this.#isStopped) return
        this.context.log('an attempt could not be started', { session: member.sessionId, reason: String(error) })
        this.#end(member, { state: 'failed', answer: '', error: error instanceof Error ? error.message : 'The attempt could not be started' })
      })
    }
  }

  async #open (row: AttemptsRow, { sessionId }: AttemptRow): Promise<void> {
    const { chat, clock, rows, changed } = this.context
    await chat.send({ message: row.message, attachments: [], sessionId, explicitModelPick: false }, {
      isPlain: true,
      plan: { budget: budgetOf(row) },
      waits: true,
      alongside: ({ session: { worktreePath }, streamId }) => {
        if (rows.member(sessionId)?.state !== 'waiting') throw new Error('The attempt was stopped')
        // Its session would continue in the repository, among the person's own files.
        if (worktreePath === null) throw new Error('The worktree of the attempt was removed')
        rows.setMember(sessionId, { state: 'running', streamId, startedAt: epochSeconds(clock) })
        changed(row.id)
      }
    })
  }

  #turnEnded (sessionId: string, streamId: string, outcome: TurnOutcome): void {
    const member = this.context.rows.member(sessionId)
    // A later turn in the same session counts too, unless it fails: then the earlier result stays.
    if (member === undefined || (member.streamId !== streamId && outcome.state !== 'done')) return
    this.#end(member, outcome)
  }

  #end ({ sessionId, attemptsId }: AttemptRow, { state, ended, error, cut, answer }: TurnOutcome): void {
    const { db, clock, rows, changed } = this.context
    const outcome = ended === 'budget_exhausted' ? 'stopped' as const : state
    // A turn that was stopped by its budget gives the reason instead of an answer.
    const why = outcome === 'done' || outcome === 'cancelled' ? null : error ?? cut ?? (outcome === 'stopped' ? answer : null)
    db.enqueue({
      write: () => {
        rows.setMember(sessionId, {
          state: 'checking', outcome, error: why === null ? null : redact(why), endedAt: epochSeconds(clock), checkPassed: null, checkOutput: null,
          review: null
        })
        changed(attemptsId)
      },
      committed: () => { void this.settle(sessionId) }
    })
  }

  /** Called for an attempt whose turn was running when the service stopped: it is over, unless the turn was resumed. */
  lost (member: AttemptRow): void {
    const { chat } = this.context
    if (member.streamId === null || chat.isLive(member.sessionId)) return
    const { terminalState } = chat.streamStatus(member.streamId)
    if (terminalState === 'budget_exhausted') return this.#end(member, { state: 'done', answer: '', ended: 'budget_exhausted' })
    if (terminalState === 'completed' || terminalState === 'tool_limit_reached') return this.#end(member, { state: 'done', answer: '' })
    if (terminalState === 'interrupted-by-user') return this.#end(member, { state: 'cancelled', answer: '' })
    this.#end(member, { state: 'failed', answer: '', error: 'The service stopped in the middle of this attempt.' })
  }

  /** Does what follows a finished turn, then stores its final state. Never rejects. */
  async settle (sessionId: string): Promise<void> {
    this.#settling.get(sessionId)?.abort()
    if (this.#isStopped) return
    const controller = new AbortController()
    this.#settling.set(sessionId, controller)
    const { signal } = controller
    try {
      await this.#measure(sessionId)
      if (!signal.aborted) await this.#check(sessionId, signal)
      if (!signal.aborted) await this.#review(sessionId)
    } catch (error) {
      this.context.log('the check or review of an attempt failed', { session: sessionId, reason: String(error) })
    } finally {
      if (this.#settling.get(sessionId) === controller) this.#settling.delete(sessionId)
    }
    // The next start, or a later turn, repeats it.
    if (signal.aborted) return
    await this.#set(sessionId, (member) => ({ state: member.outcome ?? 'done' }))
    const attemptsId = this.context.rows.member(sessionId)?.attemptsId
    if (attemptsId !== undefined) await this.conclude(attemptsId)
  }

  /** Asks the judge once all attempts are over. Never rejects. */
  async conclude (attemptsId: string): Promise<void> {
    const { db, rows, changed, log } = this.context
    const isFirst = await db.durably(() => {
      if (rows.find(attemptsId)?.state !== 'running' || !rows.members(attemptsId).every(isSettled)) return false
      rows.set(attemptsId, { state: 'judging' })
      changed(attemptsId)
      return true
    }).catch(() => false)
    if (isFirst) await this.judge(attemptsId).catch((error: unknown) => log('attempts could not be judged', { attemptsId, reason: String(error) }))
  }

  /** Cancels attempts that are waiting, and ends those that are running or being checked. */
  async stop (row: AttemptsRow): Promise<void> {
    const { chat, db, rows, changed } = this.context
    await db.durably(() => {
      for (const { sessionId, state } of rows.members(row.id)) {
        if (state === 'waiting') rows.setMember(sessionId, { state: 'cancelled', outcome: 'cancelled' })
      }
      changed(row.id)
    })
    for (const { sessionId, state } of rows.members(row.id)) {
      const streamId = chat.activeStream(sessionId)
      if (streamId !== undefined) chat.cancel(streamId)
      if (state !== 'checking' && state !== 'reviewing') continue
      this.#settling.get(sessionId)?.abort()
      await this.#set(sessionId, ({ outcome }) => ({ state: outcome ?? 'done' }))
    }
    await this.conclude(row.id)
  }

  /** Whether work after a turn is in progress. */
  isSettling (sessionId: string): boolean {
    return this.#settling.has(sessionId)
  }

  size (): number {
    return this.#settling.size
  }

  async #measure (sessionId: string): Promise<void> {
    const changes = (await resultOf(this.context, sessionId))?.changes
    if (changes === undefined) return
    await this.#set(sessionId, () => ({
      files: changes.length,
      additions: changes.reduce((sum, { additions }) => sum + additions, 0),
      deletions: changes.reduce((sum, { deletions }) => sum + deletions, 0)
    }))
  }

  async #check (sessionId: string, signal: AbortSignal): Promise<void> {
    const found = attemptOf(this.context, sessionId)
    if (found === null || found.row.checkCommand === null || found.member.outcome !== 'done') return
    const { profile, checkCommand: command, checkSeconds: seconds } = found.row
    const result = await this.#checks('checks', async () =>
      signal.aborted ? null : await this.context.runCheck(profile, { command, seconds, folder: found.workspace, signal }))
    if (result === null || signal.aborted) return
    await this.#set(sessionId, () => ({ checkPassed: result.passed, checkOutput: redact(result.output) }))
    // A check may change files, as formatters and builds do.
    await this.#measure(sessionId)
  }

  async #review (sessionId: string): Promise<void> {
    const found = attemptOf(this.context, sessionId)
    if (found === null || found.row.reviewerModel === null || found.member.outcome !== 'done' || found.member.files === 0) return
    const { row, member } = found
    await this.#set(sessionId, () => ({ state: 'reviewing' }))
    const review = await this.context.smallTasks.run('review_attempt', await readable(this.context, row, member), {
      account: accountOf(row, member), model: { model: found.row.reviewerModel, provider: row.reviewerProvider ?? undefined }
    }).catch((error: unknown) => `(${asError(error).message})`)
    await this.#set(sessionId, () => ({ review: redact(review ?? '(The reviewer gave no answer.)') }))
  }

  async #set (sessionId: string, values: (member: AttemptRow) => Partial<AttemptRow>): Promise<void> {
    const { db, rows, changed } = this.context
    await db.durably(() => {
      const member = rows.member(sessionId)
      if (member === undefined) return
      rows.setMember(sessionId, values(member))
      changed(member.attemptsId)
    })
  }
}
