import { type RunKind } from '../../agent/protocol.js'
import { presetIds, providerDisplayName } from '../../providers/index.js'
import { type TurnOutcome } from '../chat/index.js'
import { type BookedCall } from '../usage/index.js'
import { Tally } from './tally.js'

/** How a call failed, by the kind of failure that its turn ends with; what is not among them was no fault of a model. */
const failures = new Map([
  ['rate_limit', 'limit'], ['quota_exhausted', 'quota'], ['auth_mismatch', 'auth'], ['model_not_found', 'not_found'],
  ['no_response', 'no_response'], ['answer_too_large', 'too_large'], ['error', 'error']
])
const callOutcomes = ['ok', 'retracted', 'replaced', 'cancelled', ...failures.values()]
const turnOutcomes = ['done', 'failed', 'cancelled', 'interrupted']
const agents = new Set<string>(presetIds)

/** Calls of models, what they used, and turns, since the start. `isLive`: a turn is not over yet. */
export function createModelMeter ({ isLive }: { isLive: (streamId: string) => boolean }) {
  const calls = new Tally<'provider' | 'outcome'>(({ provider }) => callOutcomes.map((outcome) => ({ provider, outcome })))
  const tokens = new Tally<'provider' | 'kind'>()
  const dollars = new Tally<'provider'>()
  const turns = new Tally<'kind' | 'outcome'>(({ kind }) => turnOutcomes.map((outcome) => ({ kind, outcome })))

  return {
    /** A call is in the books. */
    booked ({ provider: id, kind, usage, cost, isWhole, turnId }: BookedCall): void {
      const provider = providerLabel(id)
      tokens.add({ provider, kind: 'input' }, usage.inputTokens)
      tokens.add({ provider, kind: 'output' }, usage.outputTokens)
      tokens.add({ provider, kind: 'cache_read' }, usage.cacheReadTokens)
      tokens.add({ provider, kind: 'cache_write' }, usage.cacheWriteTokens)
      if (cost !== null) dollars.add({ provider }, cost)
      if (isWhole) calls.add({ provider, outcome: kind === 'retracted' ? 'retracted' : 'ok' })
      // A turn that a person stops is stored before it is over. One that fails is over by then, and is counted as that.
      else if (turnId !== null && isLive(turnId)) calls.add({ provider, outcome: 'cancelled' })
    },

    /** A model has given up, and another one answers in its place. */
    replaced (providerId: string): void {
      calls.add({ provider: providerLabel(providerId), outcome: 'replaced' })
    },

    /** A model is at the limit of its provider, and its turn waits. */
    limited (providerId: string | null): void {
      calls.add({ provider: providerLabel(providerId), outcome: 'limit' })
    },

    /** `providerId`: whose model has answered last; null: none was chosen. */
    ended (kind: RunKind, providerId: string | null, { state, errorType, fault }: TurnOutcome): void {
      turns.add({ kind, outcome: state })
      const outcome = failures.get(errorType ?? '')
      if (state !== 'failed' || outcome === undefined || fault !== undefined || providerId === null) return
      calls.add({ provider: providerLabel(providerId), outcome })
    },

    /** A turn that a stop of the service had left open was closed. */
    interrupted: (kind: RunKind): void => turns.add({ kind, outcome: 'interrupted' }),

    calls: () => calls.samples(),
    tokens: () => tokens.samples(),
    dollars: () => dollars.samples(),
    turns: () => turns.samples()
  }
}

export type ModelMeter = ReturnType<typeof createModelMeter>

/** Names that the program has. Whatever a person has called a provider is `custom`: labels are few, and nobody's words. */
function providerLabel (id: string | null): string {
  if (id === null) return 'unknown'
  return providerDisplayName(id) !== undefined || agents.has(id) || id === 'offline-demo' ? id : 'custom'
}
