import { type BudgetAsk, type RunError } from '../../agent/protocol.js'
import { type NumberedEvent, type RunObserver } from '../../agent/index.js'
import { monotonicMs } from '../../ground/time/clock.js'
import { createPace } from '../../ground/concurrency/pace.js'
import { vetAsk } from '../prompts/index.js'
import { prepareRows } from '../sessions/index.js'
import { longTextsOf, portionsOf } from './long-texts.js'
import { parkForPerson, parkAtLimit } from './parking/at-limit.js'
import { type EndingTurn, type TurnEnding } from './turn-ending.js'

/** What hearing the run of a turn needs of the turn. */
export interface HeardTurn extends EndingTurn {
  readonly ending: TurnEnding
  readonly machine: string | undefined
  readonly outlives: boolean
  budget (): BudgetAsk | null
}

type RunEnd = Extract<NumberedEvent, { t: 'end' }>

export const lostHint = 'What it had written so far is kept. Send the message again to retry.'
const notRecorded: RunError = {
  type: 'interrupted', message: 'The turn\'s output could not be stored; the log of the service has the details.', hint: lostHint
}

/** Takes in what the run of a turn says, each event once and in its order, up to its end. */
export class TurnHearing {
  /** What it says is taken in portions, long texts masked ahead, and what comes behind waits; null when nothing does. */
  #waiting: Promise<void> | null = null
  readonly #pace = createPace()
  /** When its run last said something, on the clock that nobody sets. */
  #heardAtMs: number
  #isHeard = false

  constructor (readonly turn: HeardTurn) {
    this.#heardAtMs = monotonicMs(turn.context.clock)
  }

  /** For how long its run has said nothing. */
  get silentMs (): number {
    return monotonicMs(this.turn.context.clock) - this.#heardAtMs
  }

  /** Its host has its run, which has not said a word. */
  get isUnheard (): boolean {
    return this.turn.isRunning && !this.#isHeard && this.#waiting === null
  }

  /** `isKept` is asked when the run is lost: whether the turn is not over, because it was parked or launched again. */
  observer (isKept: () => boolean): RunObserver {
    return {
      events: (events) => {
        // What another machine has said counts as stored when this returns.
        if (this.turn.machine !== undefined) return this.#receive(events)
        const portions = portionsOf(events)
        for (const [index, portion] of portions.entries()) {
          const texts = longTextsOf(portion, (callId) => this.turn.recorder.argsOf(callId))
          const ahead = async (): Promise<void> => {
            await prepareRows(texts)
            await this.#pace()
          }
          this.#after(index === 0 && texts.length === 0 ? null : ahead, () => this.#receive(portion))
        }
        return this.#waiting ?? undefined
      },
      lost: ({ message, reason }) => this.#after(null, () => {
        if (isKept()) return
        this.turn.ending.fail({ type: 'interrupted', message, hint: lostHint }, { terminalState: 'interrupted-by-crash', fault: reason })
      })
    }
  }

  /** Does something behind what waits already, and behind `ahead`; at once when nothing waits. */
  #after (ahead: (() => Promise<void>) | null, receive: () => void): void {
    if (this.#waiting === null && ahead === null) return receive()
    const waited = (this.#waiting ?? Promise.resolve()).then(ahead).then(receive).catch((error: unknown) => this.turn.ending.broke(
      'what a turn has said could not be recorded', error, notRecorded
    )).then(() => { if (this.#waiting === waited) this.#waiting = null })
    this.#waiting = waited
  }

  #receive (events: NumberedEvent[]): void {
    const { turn } = this
    const { phase, recorder, context } = turn
    this.#isHeard = true
    this.#heardAtMs = monotonicMs(context.clock)
    const end = events.find((event) => event.t === 'end')
    // Until the turn is settled its end is to be heard again.
    const taken = end === undefined ? events.at(-1)?.seq : end.seq - 1
    const vetting = { isElsewhere: turn.machine !== undefined, offers: () => turn.budget()?.offers ?? [] }
    if (phase.is('running')) recorder.apply(events.map((event) => vetAsk(event, vetting)), turn.outlives ? taken : undefined)
    // What it was at is over now: that is still told of.
    if (phase.is('cancelling')) for (const event of events) if (event.t === 'span') context.traces?.told(turn, event.said)
    if (end?.t === 'end') this.#ended(end)
  }

  #ended ({ state, terminalState, error = { type: 'error', message: 'The turn failed.' } }: RunEnd): void {
    const { phase, ending } = this.turn
    if (phase.is('cancelling')) return ending.hurry()
    if (!phase.is('running')) return
    if (state === 'done') void ending.settle(terminalState)
    else if (state === 'cancelled') {
      ending.fail({ type: 'cancelled', message: 'The agent stopped this turn.' }, { terminalState: 'interrupted-by-user' })
    } else if (!parkAtLimit(this.turn, error) && !parkForPerson(this.turn, error.message)) {
      ending.fail(error, { terminalState: error.terminalState })
    }
  }
}
