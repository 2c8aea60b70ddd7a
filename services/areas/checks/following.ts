import { type Turn, type TurnOutcome } from '../chat/index.js'
import { isBeside } from '../sessions/index.js'
import { Conflict } from '../../ground/errors.js'
import { epochSeconds } from '../../ground/time/clock.js'
import { changedScript, type Context } from './context.js'
import { messageOf } from './message.js'
import { type CheckRow, type CheckRunRow } from './rows.js'
import { type CheckRuns } from './running.js'
import { problemsOf } from './wire.js'

const bad = ['failed', 'timed_out', 'over_limit'] as const
/** Whether a run has found something to fix. */
export const isBad = ({ state }: Pick<CheckRunRow, 'state'>): boolean => bad.some((one) => one === state)

/**
 * Runs checks automatically after turns that have changed files, and sends what failed to the agent, as often as a person allows.
 * Everything that follows from a turn ends with the next one, whoever begins it.
 */
export class AfterTurns {
  #isStopped = false
  readonly #following = new Set<string>()

  constructor (private readonly context: Context, private readonly runs: CheckRuns) {
    const { turns } = context.chat
    turns.on('stopping', () => { this.#isStopped = true })
    turns.on('ended', (turn, outcome) => {
      const { streamId, plan } = turn
      if (this.#isStopped || outcome.state !== 'done' || !['chat', 'goal'].includes(plan.kind) || plan.budget !== undefined) return
      this.#following.add(streamId)
      this.#follow(turn, outcome).catch((error: unknown) => {
        // A person, or the queue, was faster.
        if (error instanceof Conflict || this.#isStopped) return
        context.log('checks after a turn failed', { session: turn.sessionId, reason: String(error) })
      }).finally(() => this.#following.delete(streamId))
    })
  }

  /** Returns how many turns are being followed, for tests and metrics. */
  size (): number {
    return this.#following.size
  }

  async #follow (turn: Turn, { ended, cut }: TurnOutcome): Promise<void> {
    const { sessionId, streamId, plan: { kind } } = turn
    const { sessions, chat, rows, placeOf } = this.context
    const session = sessions.rows.find(sessionId)
    if (session === undefined || isBeside(session) || session.readOnly || chat.isPlanning(streamId)) return
    const place = placeOf(session)
    const wanted = rows.list(place.profile, place.place).filter(({ afterTurn }) => afterTurn === 'run')
    if (wanted.length === 0) return
    const { site, path } = place
    const { isConfined, proposals: offered } = await site.look(place.profile, path)
    if (!isConfined || !await site.hasChanged(path, streamId)) return
    const checks = wanted.filter((check) => changedScript(check, offered) === null)
    if (checks.length === 0 || this.#isStopped) return
    const { ids, over } = await this.runs.begin(place, sessionId, checks, { streamId, isConfined: true })
    await over
    const before = rows.sends(sessionId)
    const sent = before !== undefined && (before.streamId === streamId || kind === 'goal') ? before.count : 0
    if (ended === undefined && cut === undefined) await this.#send(turn, checks, { ids, sent, generation: session.generation })
  }

  /** Sends what failed, unless another turn has begun or something else comes first. */
  async #send (
    { sessionId, account }: Turn, checks: readonly CheckRow[],
    { ids, sent, generation }: { ids: readonly string[], sent: number, generation: number }
  ): Promise<void> {
    const { sessions, chat, rows, clock, budgets, isQueued, isWatched } = this.context
    const runs = ids.map((id) => rows.run(id)).filter((run) => run !== undefined)
    // A person who has stopped one of them does not want what follows.
    if (runs.some(({ state }) => state === 'cancelled')) return
    const failed = runs.filter((run) => isBad(run) && (checks.find(({ id }) => id === run.checkId)?.autoSend ?? 0) > sent)
    const isFree = (): boolean => {
      const session = sessions.rows.find(sessionId)
      return !this.#isStopped && session?.generation === generation && session.mode !== 'plan' && !session.readOnly
    }
    if (failed.length === 0 || !isFree() || !chat.isSettled(sessionId) || await isQueued(sessionId)) return
    if (budgets.isUsedUp({ profile: account.profile, session: sessionId })) return
    const { model, provider } = chat.lastTurn(sessionId) ?? {}
    const message = messageOf(failed.map((run) => ({ ...run, problems: problemsOf(run) })), { isByItself: true })
    const input = {
      sessionId, message, attachments: [], model: model ?? undefined, modelProvider: provider ?? undefined, explicitModelPick: false
    }
    await chat.send(input, {
      isPlain: true,
      waits: true,
      fields: { _source: 'check' },
      plan: { attended: isWatched(sessionId) },
      alongside: ({ streamId }) => {
        if (!isFree()) throw new Conflict('Something else has started in the meantime')
        rows.setSends(sessionId, streamId, sent + 1)
        rows.sent(failed.map(({ id }) => id), epochSeconds(clock))
      }
    })
  }
}
