import { type RunError } from '../../../agent/protocol.js'
import { epochSeconds } from '../../../ground/time/clock.js'
import { redact } from '../../../ground/redaction/index.js'
import { type EndingTurn, type TurnEnding } from '../turn-ending.js'
import { waitsForLimits } from '../turn-plan.js'
import { parkedUntil } from './decision.js'

type ParkingTurn = EndingTurn & { readonly ending: TurnEnding }

/**
 * Parks a turn whose run has ended at the limit of a provider, until that has passed; see Parking. Returns false if the turn ends instead.
 */
export function parkAtLimit (turn: ParkingTurn, { limit }: RunError): boolean {
  const { streamId, profile, plan, model, recorder, context: { store, clock, rules } } = turn
  if (limit === undefined || !waitsForLimits(plan)) return false
  const { attended } = plan
  const nowS = epochSeconds(clock)
  const before = store.parked(streamId)
  const tries = before === undefined ? 0 : before.tries + 1
  const until = parkedUntil({ limit, onLimit: rules(profile).onLimit, attended, tries, nowS })
  if (until === null) return false
  const { provider, id, name: providerName } = limit
  // Text that was typed into the turn but not taken yet stays with it, and is taken when it resumes.
  recorder.parked({
    streamId, parkedAt: nowS, resumesAt: until.resumesAt, provider, model: id, providerName, problem: null, tries, attended,
    isResuming: false
  }, { keepsText: model?.isAgent === true })
  leave(turn)
  return true
}

/**
 * Parks a turn again whose run was lost before anything was heard of it, with ever longer pauses. Returns false if the turn was not
 * resuming.
 */
export function parkUnheard (turn: ParkingTurn): boolean {
  if (!turn.isRunning || !turn.recorder.isResuming) return false
  const parked = turn.context.store.parked(turn.streamId)
  if (parked === undefined) return false
  const { provider, model: id, providerName: name, tries } = parked
  const waitMs = Math.min(1_000 * 2 ** tries, 3_600_000)
  return parkAtLimit(turn, { type: 'interrupted', message: '', limit: { provider, id, name, waitMs } })
}

/**
 * Parks a turn again that cannot resume, until a person says how; nothing was heard of it since. Returns false if nobody can be asked, or
 * the turn is over.
 */
export function parkForPerson (turn: ParkingTurn, problem: string): boolean {
  const { streamId, plan, phase, recorder, context: { store, clock } } = turn
  const parked = recorder.isResuming && phase.is('starting', 'running') ? store.parked(streamId) : undefined
  if (parked === undefined || !plan.attended) return false
  recorder.parked({
    ...parked, parkedAt: epochSeconds(clock), resumesAt: null, problem: redact(problem), isResuming: false
  }, { keepsText: false })
  leave(turn)
  return true
}

/** Removes the turn from memory once its row is stored. */
function leave (turn: ParkingTurn): void {
  const { context: { db, listeners }, ending } = turn
  db.enqueue({
    write () {},
    committed: () => {
      if (!turn.phase.is('starting', 'running')) return
      ending.leave()
      listeners.emit('parked', turn)
    }
  })
}
