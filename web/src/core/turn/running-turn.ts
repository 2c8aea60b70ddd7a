import { stillness } from '../screen/stillness.js'
import { type TurnFrame } from '../service/link.js'
import { addNote, endTurn, foldFrame, markWaiting, type LiveTurn } from './turn-live.js'
import { type Turn, type UserMessage } from './turn.js'

/** Runs a function once before the next paint; tests run it when they want. */
export type Schedule = (draw: () => void) => void

/** The pause after a paint, as a multiple of its duration, so that a slow machine draws text less often. */
const restPerDrawing = 3
const longestRestMs = 120
let restsUntilMs = 0

/**
 * Schedules for the next animation frame after that pause, without asking for the frames in it, which would have nothing to draw. A hidden
 * page paints none, and needs none.
 */
export const nextFrame: Schedule = (draw) => {
  const restMs = restsUntilMs - performance.now()
  if (restMs > 0) {
    setTimeout(() => nextFrame(draw), restMs)
    return
  }
  requestAnimationFrame((frameMs) => {
    if (frameMs < restsUntilMs) return nextFrame(draw)
    const beganMs = performance.now()
    draw()
    stillness.grew()
    // Runs after the rendering and layout that follow.
    setTimeout(() => {
      const endedMs = performance.now()
      restsUntilMs = endedMs + Math.min(longestRestMs, (endedMs - beganMs) * restPerDrawing)
    })
  })
}

export interface RunningTurnOptions { schedule: Schedule, nowS: () => number, show: (turn: Turn) => void }

/** Follows a running turn. Text may arrive faster than people read, so it is drawn at most once per animation frame. */
export class RunningTurn {
  #live: LiveTurn
  #shown: LiveTurn
  #isPending = false
  #isWaiting = false
  /** True once the answer is complete; a title and the state of a goal may follow. */
  hasSettled = false

  constructor (readonly streamId: string, live: LiveTurn, readonly options: RunningTurnOptions) {
    this.#live = this.#shown = live
  }

  get turn (): Turn { return this.#live.turn }

  /** Sets the message that the turn answers. Returns the turn with it. */
  know (user: UserMessage | null): Turn {
    if (user !== null) {
      this.#live = {
        ...this.#live,
        turn: { ...this.#live.turn, user, messageIds: user.messageId === null ? [] : [user.messageId], firstIndex: user.index }
      }
    }
    return this.#live.turn
  }

  hear (frame: TurnFrame): void {
    this.#set(foldFrame(this.#live, frame, this.options.nowS()))
  }

  addNote (text: string): void {
    this.#set(addNote(this.#live, text))
  }

  /** Sets whether something in it waits for the person. */
  wait (isWaiting: boolean): void {
    this.#isWaiting = isWaiting
    this.#set(this.#live)
  }

  /** Ends the turn; its known content is shown at once. */
  end (end: Pick<Turn, 'state'> & Partial<Turn>): void {
    this.#isWaiting = false
    this.#live = endTurn(this.#live, end)
    this.hasSettled = true
    this.#show()
  }

  #set (live: LiveTurn): void {
    this.#live = markWaiting(live, this.#isWaiting)
    if (this.#live === this.#shown || this.#isPending) return
    this.#isPending = true
    this.options.schedule(() => {
      this.#isPending = false
      if (!this.hasSettled) this.#show()
    })
  }

  #show (): void {
    if (this.#live === this.#shown) return
    this.#shown = this.#live
    this.options.show(this.#live.turn)
  }
}
