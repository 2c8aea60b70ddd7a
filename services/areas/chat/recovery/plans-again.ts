import { type OpenStream, type TurnStore } from '../rows.js'
import { chatPlan, wishesIn, type PlanAgain, type TurnInput, type TurnPlan } from '../turn-plan.js'

/** What is special about a turn that a program has begun; nothing about any other one. */
export type ProgramPlan = (streamId: string) => Pick<TurnPlan, 'client' | 'endsAtLimit'>

/** What makes the turn of a row what it is: its plan, made again from what is stored of it and from what its area says of its kind. */
export class PlansAgain {
  readonly #beside = new Map<TurnPlan['kind'], PlanAgain>()
  #ofPrograms: ProgramPlan = () => ({})

  constructor (readonly store: Pick<TurnStore, 'budgetOf'>) {}

  /** How turns of a kind that is no message are planned again. */
  takeUp (kind: TurnPlan['kind'], again: PlanAgain): void {
    this.#beside.set(kind, again)
  }

  /** How turns are planned again that programs have begun. */
  programsFrom (find: ProgramPlan): void {
    this.#ofPrograms = find
  }

  /** Null: nobody has a use for the turn any more. */
  of (stream: OpenStream, input: TurnInput | null): TurnPlan | null {
    const beside = this.#beside.get(stream.kind)?.(stream)
    return beside === null ? null : { ...this.ofMessage(stream, input), ...beside }
  }

  /** The plan of a turn that stands in its own conversation: a message, a goal, the run of a job. */
  ofMessage (stream: OpenStream, input: TurnInput | null): TurnPlan {
    const { streamId, sessionId, kind } = stream
    const budget = this.store.budgetOf(streamId)
    return {
      ...chatPlan(sessionId, { message: '', attachments: [] }), kind, input, wishes: wishesIn(stream),
      ...(budget === undefined ? {} : { budget }), ...this.#ofPrograms(streamId)
    }
  }
}
