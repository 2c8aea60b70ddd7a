import { signal, type ReadonlySignal } from '@preact/signals-core'
import { type Api, type Wire } from '../service/api.js'

export interface GoalNow { goal: Wire<'Goal'>, phase: 'evaluating' | 'continuing' | 'idle' | null }

/** How the goal of a session stands. The service goes on with it by itself; this only knows. */
export class GoalWatch {
  readonly #now = signal<GoalNow | null>(null)
  /** Raised by whatever tells how it stands, so that an older answer is dropped. */
  #news = 0

  constructor (readonly api: Api) {}

  get now (): ReadonlySignal<GoalNow | null> { return this.#now }

  /** From whoever knows. */
  tell (goal: Wire<'Goal'> | null, phase: GoalNow['phase'] = null): void {
    this.#news++
    this.#now.value = goal === null || goal.status === 'cleared' ? null : { goal, phase }
  }

  /** Asks how it stands. Never rejects. */
  async refresh (sessionId: string): Promise<void> {
    const then = this.#news
    const answer = await this.api.post('/api/goal', { session_id: sessionId, args: 'status' }).catch(() => null)
    if (answer !== null && then === this.#news) this.tell(answer.goal)
  }

  /** Throws ApiError. Resolves with what the service says to it. */
  async act (sessionId: string, args: 'status' | 'pause' | 'resume' | 'clear'): Promise<Wire<'GoalAnswer'>> {
    const answer = await this.api.post('/api/goal', { session_id: sessionId, args })
    this.tell(answer.goal)
    return answer
  }
}
