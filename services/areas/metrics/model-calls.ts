import { type RunKind } from '../../agent/protocol.js'
import { presetIds, providerDisplayName } from '../../providers/index.js'
import { type TurnOutcome } from '../chat/index.js'
import { type BookedCall } from '../usage/index.js'
import { Tally } from './tally.js'

/** The outcome of a failed call, by the kind of failure with which its turn ends; other kinds were no fault of a model. */
const failures = new Map([
  ['rate_limit', 'limit'], ['quota_exhausted', 'quota'], ['auth_mismatch', 'auth'], ['model_not_found', 'not_found'],
  ['no_response', 'no_response'], ['answer_too_large', 'too_large'], ['error', 'error']
])
const callOutcomes = ['ok', 'retracted', 'replaced', 'cancelled', ...failures.values()]
const turnOutcomes = ['done', 'failed', 'cancelled', 'interrupted']
const agents = new Set<string>(presetIds)

/** Counts model calls, their use, and turns since the start. `isLive`: whether a turn is not over yet. */
export function createModelMeter ({ isLive }: { isLive: (streamId: string) => boolean }) {
  const calls = new Tally<'provider' | 'outcome'>(({ provider }) => callOutcomes.map((outcome) => ({ provider, outcome })))
  const tokens = new Tally<'provider' | 'kind'>()
  const dollars = new Tally<'provider'>()
  const turns = new Tally<'kind' | 'outcome'>(({ kind }) => turnOutcomes.map((outcome) => ({ kind, outcome })))

  return {
    /** Called when a call has been stored in the usage log. */
    booked ({ provider: id, kind, usage, cost, isWhole, turnId }: BookedCall): void {
      const provider = providerLabel(id)
      tokens.add({ provider, kind: 'input' }, usage.inputTokens)
      tokens.add({ provider, kind: 'output' }, usage.outputTokens)
      tokens.add({ provider, kind: 'cache_read' }, usage.cacheReadTokens)
      tokens.add({ provider, kind: 'cache_write' }, usage.cacheWriteTokens)
      if (cost !== null) dollars.add({ provider }, cost)
      if (isWhole) calls.add({ provider, outcome: kind === 'retracted' ? 'retracted' : 'ok' })
      // A turn that a person stops is stored before it is over. A turn that fails is over by then, and is counted by `ended`.
      else if (turnId !== null && isLive(turnId)) calls.add({ provider, outcome: 'cancelled' })
    },

    /** Called when a model has failed, and another one answers instead. */
    replaced (providerId: string): void {
      calls.add({ provider: providerLabel(providerId), outcome: 'replaced' })
    },

    /** Called when a model is at the limit of its provider, and its turn waits. */
    limited (providerId: string | null): void {
      calls.add({ provider: providerLabel(providerId), outcome: 'limit' })
    },

    /** `providerId`: the provider of the model that answered last; null if none was chosen. */
    ended (kind: RunKind, providerId: string | null, { state, errorType, fault }: TurnOutcome): void {
      turns.add({ kind, outcome: state })
      const outcome = failures.get(errorType ?? '')
      if (state !== 'failed' || outcome === undefined || fault !== undefined || providerId === null) return
      calls.add({ provider: providerLabel(providerId), outcome })
    },

    /** Called for a turn that a stop of the service had left open, when it is closed. */
    interrupted: (kind: RunKind): void => turns.add({ kind, outcome: 'interrupted' }),

    calls: () => calls.samples(),
    tokens: () => tokens.samples(),
    dollars: () => dollars.samples(),
    turns: () => turns.samples()
  }
}

export type ModelMeter = ReturnType<typeof createModelMeter>

/**
 * Returns a provider's name as a label. A provider that a person has named is `custom`, so that labels are few and contain no free text.
 */
function providerLabel (id: string | null): string {
  if (id === null) return 'unknown'
  return providerDisplayName(id) !== undefined || agents.has(id) || id === 'offline-demo' ? id : 'custom'
}
