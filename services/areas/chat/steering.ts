import { type AgentRuntime } from '../../agent/index.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Conflict } from '../../ground/errors.js'
import { type Sessions } from '../sessions/index.js'
import { type TurnStore } from './rows.js'
import { type Turns } from './turns.js'

/** Why a text was not taken. */
export type SteerFallback = 'no_cached_agent' | 'agent_lacks_steer' | 'not_running' | 'stream_dead' | 'steer_error'

export interface SteeringOptions { db: Database, clock: Clock, agent: AgentRuntime, sessions: Sessions, store: TurnStore, turns: Turns }

/**
 * The owner of a text that a person has not typed into the turn. `taken` runs in the transaction that stores the text here, `returned` in
 * the one that removes it because the run refused it. If no model has read it when the turn ends, the owner is told with `kept`; see
 * {@link SteerEvents}.
 */
export interface SteerOrigin { kept: string, taken: () => void, returned: () => void }

/** Returns the function that passes a person's text to a running turn. */
export function createSteering ({ db, clock, agent, sessions, store, turns }: SteeringOptions) {
  /** Keeps the text for a parked turn, which takes it when it continues. */
  async function keepForLater (
    sessionId: string, text: string, origin: SteerOrigin | undefined
  ): Promise<{ accepted: boolean, fallback: SteerFallback | null, streamId: string | null }> {
    const streamId = await db.durably(() => {
      const parked = store.parkedIn(sessionId)
      if (parked === undefined || parked.isResuming) return null
      origin?.taken()
      store.addSteer(parked.streamId, text, epochSeconds(clock), origin?.kept)
      return parked.streamId
    })
    return { accepted: streamId !== null, fallback: streamId === null ? 'not_running' : null, streamId }
  }

  /** Passes a text to the running turn. It is kept until the run has taken it or returned it. */
  return async (
    sessionId: string, text: string, origin?: SteerOrigin
  ): Promise<{ accepted: boolean, fallback: SteerFallback | null, streamId: string | null }> => {
    const { readOnly } = sessions.get(sessionId)
    const refused = (fallback: SteerFallback, streamId: string | null = null) => ({ accepted: false, fallback, streamId })
    const turn = turns.ofSession(sessionId)
    if (turn === undefined && !readOnly && store.parkedIn(sessionId) !== undefined) return await keepForLater(sessionId, text, origin)
    if (turn === undefined) return refused('not_running')
    // A sub-agent takes its task only from the agent that it works for.
    if (readOnly) return refused('agent_lacks_steer')
    if (turn.phase.is('starting')) return refused('no_cached_agent')
    if (!turn.phase.is('running')) return refused('stream_dead')
    const steer = await db.durably(() => {
      origin?.taken()
      return store.addSteer(turn.streamId, text, epochSeconds(clock), origin?.kept)
    })
    // Returns false if the text was already returned as a leftover: refusing it, too, would give it to the user twice.
    const takeBack = (): boolean => db.transaction(() => {
      const isOurs = store.dropSteer(steer)
      if (isOurs) origin?.returned()
      return isOurs
    }, { durable: origin !== undefined })
    try {
      const ack = await agent.control(turn.profile, { op: 'steer', runId: turn.streamId, text })
      if (ack.result === 'applied') return { accepted: true, fallback: null, streamId: turn.streamId }
      if (!takeBack()) return { accepted: true, fallback: null, streamId: turn.streamId }
      if (ack.result === 'unsupported') return refused('agent_lacks_steer')
      return ack.result === 'not_running' ? refused('stream_dead') : refused('steer_error', turn.streamId)
    } catch (error) {
      // A run that does not answer in time may still have the text, and would read it twice if it were sent again. If the run does not take
      // it in, the text is returned at the end of the turn.
      if (!(error instanceof Conflict) || !takeBack()) return { accepted: true, fallback: null, streamId: turn.streamId }
      return refused('stream_dead')
    }
  }
}
