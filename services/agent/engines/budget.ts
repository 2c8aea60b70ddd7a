import { type BudgetAsk, type CutShort, type RunSpec } from '../protocol.js'
import { type RunIO } from './engine.js'
import { ModelGaveUp } from './model-calls.js'

/** How many times the service is asked in all when its answer is lost on the way. */
const attempts = 3
/** How long a run on another machine waits for the service's answer before it continues without one, if no budget applied at its start. */
const patienceMs = 5_000

type BudgetCard = Pick<BudgetAsk, 'command' | 'description' | 'patternKeys' | 'offers'>

/** Keeps a turn within its budgets. It is checked before each model call, never in the middle of an answer. */
export class TurnBudget {
  #asked = 0
  /** The prompt that was open when the service stopped. It is shown again unchanged, because a yes allows what the card says. */
  #waiting: { callId: string, ask: BudgetCard } | null

  constructor (
    private readonly spec: Pick<RunSpec, 'runId' | 'host' | 'attended' | 'budgeted' | 'resume'>,
    private readonly io: Pick<RunIO, 'askApproval' | 'request'>
  ) {
    const [ask] = spec.resume?.asks ?? []
    const body = ask !== undefined && 'budget' in ask.body ? ask.body : undefined
    this.#waiting = ask === undefined || body?.budget === undefined ? null : { callId: ask.callId, ask: { ...body, offers: body.budget } }
  }

  /**
   * Returns null if a model may be called, because no budget is used up or because a person has allowed more; else what the
   * turn ends with. Throws Cancelled, and ModelGaveUp when the service cannot be asked.
   */
  async check (isFirst: boolean): Promise<CutShort | null> {
    const { waiting, isResumed } = { waiting: this.#waiting, isResumed: this.#waiting !== null }
    this.#waiting = null
    if (!isResumed && isFirst && this.spec.budgeted !== true) return null
    const over = isResumed ? null : await this.over()
    const ask = waiting?.ask ?? over
    if (ask === null) return null
    if (over?.isFinal === true) return stopped(ask, over, 'The attempt ends here.')
    if (!this.spec.attended) return stopped(ask, over, 'Nobody is there to be asked, so the turn ends here.')
    const { command, description, patternKeys, offers } = ask
    const [patternKey = ''] = patternKeys
    const answer = await this.io.askApproval({
      command, description, patternKey, patternKeys, maxScope: 'session', personal: true, budget: offers
    }, { callId: waiting?.callId ?? `budget-${this.spec.runId}-${++this.#asked}`, beside: false })
    if (answer === null) return stopped(ask, over, 'Nobody has answered in time, so the turn ends here.')
    return answer.choice === 'deny' ? stopped(ask, over, 'More was not allowed, so the turn ends here.') : null
  }

  /**
   * Returns what a person would have to allow before a model is called; null if no budget is used up. Throws Cancelled, and
   * ModelGaveUp when the service cannot be asked.
   */
  async over (): Promise<BudgetAsk | null> {
    const mayGoOn = this.spec.host !== undefined && this.spec.budgeted !== true
    for (let attempt = 1; ; attempt++) {
      const asked = await this.io.request('budget', {}, { deadlineMs: mayGoOn ? patienceMs : null })
      if ('answer' in asked) return asked.answer
      if (mayGoOn && asked.error.code === 'late') return null
      if (asked.error.code === 'unserved') return null
      if (attempt === attempts) {
        throw new ModelGaveUp({
          type: 'error', message: 'Whether the budget of this turn allows more could not be found out.',
          hint: 'Send the message again to retry.', retryable: false, contextOverflow: false
        })
      }
    }
  }
}

function stopped (ask: BudgetCard, over: BudgetAsk | null, why: string): CutShort {
  return {
    reason: 'budget_exhausted', message: `${ask.command} ${why}`,
    hint: over?.hint ?? 'Send "continue" to be asked again, or change the budget in the settings.'
  }
}
