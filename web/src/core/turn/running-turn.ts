import { type TurnFrame } from '../service/link.js'
import { addNote, endTurn, foldFrame, markWaiting, type LiveTurn } from './turn-live.js'
import { type Turn, type UserMessage } from './turn.js'

/** Runs something before the next picture is painted, once; tests run it when they like. */
export type Schedule = (draw: () => void) => void

/**
 * A slow machine draws words less often instead of all the time: so many times as long as the last
 * picture took are left for everything else.
 */
const restPerDrawing = 3
const longestRestMs = 120
let restsUntilMs = 0

/** With the next frame of the screen that there is time for. A page that nobody sees paints none, and does not need to. */
export const nextFrame: Schedule = (draw) => {
  requestAnimationFrame((frameMs) => {
    if (frameMs < restsUntilMs) return nextFrame(draw)
    const beganMs = performance.now()
    draw()
    // Behind the components that follow, and the layout.
    setTimeout(() => {
      const endedMs = performance.now()
      restsUntilMs = endedMs + Math.min(longestRestMs, (endedMs - beganMs) * restPerDrawing)
    })
  })
}

export interface RunningTurnOptions { schedule: Schedule, nowS: () => number, show: (turn: Turn) => void }

/** The turn that is followed. Words may come faster than anybody reads: it is shown at most once per frame of the screen. */
export class RunningTurn {
  #live: LiveTurn
  #shown: LiveTurn
  #isPending = false
  #isWaiting = false
  /** Its answer stands; what may still come are a title and the state of a goal. */
  hasSettled = false

  constructor (readonly streamId: string, live: LiveTurn, readonly options: RunningTurnOptions) {
    this.#live = this.#shown = live
  }

  get turn (): Turn { return this.#live.turn }

  /** The message that it answers, once the service has told it; the turn as it is with that. */
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

  /** Whether something of it waits for a person. */
  wait (isWaiting: boolean): void {
    this.#isWaiting = isWaiting
    this.#set(this.#live)
  }

  /** Nothing more comes. What stands is shown at once. */
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
