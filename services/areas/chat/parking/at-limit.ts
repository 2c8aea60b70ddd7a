import { type RunError } from '../../../agent/protocol.js'
import { epochSeconds } from '../../../ground/clock.js'
import { redact } from '../../../ground/redaction/index.js'
import { type EndingTurn, type TurnEnding } from '../turn-ending.js'
import { waitsForLimits } from '../turn-plan.js'
import { parkedUntil } from './decision.js'

type ParkingTurn = EndingTurn & { readonly ending: TurnEnding }

/** Leaves a turn whose run has ended at the limit of a provider to wait for that to pass; see Parking. False: it ends with it. */
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
  // What was typed into the turn and not taken stays where it is.
  recorder.parked({
    streamId, parkedAt: nowS, resumesAt: until.resumesAt, provider, model: id, providerName, problem: null, tries, attended,
    isResuming: false
  }, { keepsText: model?.isAgent === true })
  leave(turn)
  return true
}

/** The run of a turn was lost as it was about to go on, and nothing was heard of it: it is begun once more, after ever longer pauses. */
export function goesOnLater (turn: ParkingTurn): boolean {
  if (!turn.isRunning || !turn.recorder.isResuming) return false
  const parked = turn.context.store.parked(turn.streamId)
  if (parked === undefined) return false
  const { provider, model: id, providerName: name, tries } = parked
  const waitMs = Math.min(1_000 * 2 ** tries, 3_600_000)
  return parkAtLimit(turn, { type: 'interrupted', message: '', limit: { provider, id, name, waitMs } })
}

/**
 * A turn that had waited cannot go on, and nothing was heard of it since: a person is asked, where somebody is there. False: it ends, or
 * is over.
 */
export function askHow (turn: ParkingTurn, problem: string): boolean {
  const { streamId, plan, phase, recorder, context: { store, clock } } = turn
  const parked = recorder.isResuming && phase.is('starting', 'running') ? store.parked(streamId) : undefined
  if (parked === undefined || !plan.attended) return false
  recorder.parked({
    ...parked, parkedAt: epochSeconds(clock), resumesAt: null, problem: redact(problem), isResuming: false
  }, { keepsText: false })
  leave(turn)
  return true
}

/** Nothing of it stays in memory; until its row is stored it lives. */
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
