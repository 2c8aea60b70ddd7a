import { signal, type ReadonlySignal } from '@preact/signals-core'
import { type Api, type Wire } from '../service/api.js'

export interface GoalNow { goal: Wire<'Goal'>, phase: 'evaluating' | 'continuing' | 'idle' | null }

/** The state of a session's goal, which the service pursues on its own. */
export class GoalWatch {
  readonly #now = signal<GoalNow | null>(null)
  /** Incremented by every report about the goal, so that an older answer is dropped. */
  #news = 0

  constructor (readonly api: Api) {}

  get now (): ReadonlySignal<GoalNow | null> { return this.#now }

  /** Adopts a state that was reported elsewhere. */
  tell (goal: Wire<'Goal'> | null, phase: GoalNow['phase'] = null): void {
    this.#news++
    this.#now.value = goal === null || goal.status === 'cleared' ? null : { goal, phase }
  }

  /** Reads the state. Never rejects. */
  async refresh (sessionId: string): Promise<void> {
    const then = this.#news
    const answer = await this.api.post('/api/goal', { session_id: sessionId, args: 'status' }).catch(() => null)
    if (answer !== null && then === this.#news) this.tell(answer.goal)
  }

  /** Acts on the goal. Resolves with the service's answer. Throws ApiError. */
  async act (sessionId: string, args: 'status' | 'pause' | 'resume' | 'clear'): Promise<Wire<'GoalAnswer'>> {
    const answer = await this.api.post('/api/goal', { session_id: sessionId, args })
    this.tell(answer.goal)
    return answer
  }
}
