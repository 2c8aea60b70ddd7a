import { type OpenStream, type TurnStore } from '../rows.js'
import { chatPlan, wishesIn, type PlanAgain, type TurnInput, type TurnPlan } from '../turn-plan.js'

/** The special properties of a turn that a program has begun; empty for any other turn. */
export type ProgramPlan = (streamId: string) => Pick<TurnPlan, 'client' | 'endsAtLimit'>

/** Makes the plan of a stored turn again: from its rows, and from what the area of its kind adds. */
export class PlansAgain {
  readonly #beside = new Map<TurnPlan['kind'], PlanAgain>()
  #ofPrograms: ProgramPlan = () => ({})

  constructor (readonly store: Pick<TurnStore, 'budgetOf'>) {}

  /** Registers how turns of a kind that no message begins are planned again. */
  register (kind: TurnPlan['kind'], again: PlanAgain): void {
    this.#beside.set(kind, again)
  }

  /** Registers how turns that programs have begun are planned again. */
  registerPrograms (find: ProgramPlan): void {
    this.#ofPrograms = find
  }

  /** Returns the plan of a turn; null if the turn is no longer needed. */
  of (stream: OpenStream, input: TurnInput | null): TurnPlan | null {
    const beside = this.#beside.get(stream.kind)?.(stream)
    return beside === null ? null : { ...this.ofMessage(stream, input), ...beside }
  }

  /** Returns the plan of a turn in its own conversation: a message, a goal, the run of a job. */
  ofMessage (stream: OpenStream, input: TurnInput | null): TurnPlan {
    const { streamId, sessionId, kind } = stream
    const budget = this.store.budgetOf(streamId)
    return {
      ...chatPlan(sessionId, { message: '', attachments: [] }), kind, input, wishes: wishesIn(stream),
      ...(budget === undefined ? {} : { budget }), ...this.#ofPrograms(streamId)
    }
  }
}
