import { signal, type ReadonlySignal, type Signal } from '@preact/signals-core'
import { type Api } from '../service/api.js'
import { Exchange } from '../turn/exchange.js'
import { type Link, type TurnFrame } from '../service/link.js'
import { problemIn } from '../turn/problem-sentence.js'
import { nextFrame, RunningTurn, type Schedule } from '../turn/running-turn.js'
import { beginTurn } from '../turn/turn-live.js'
import { type UserMessage } from '../turn/turn.js'

/** A side question, answered from a snapshot of the chat; it leaves no trace there. */
export interface SideQuestion {
  readonly streamId: string
  readonly sessionId: string
  readonly exchange: Exchange
  /** The whole answer; null until it is complete. */
  readonly answer: ReadonlySignal<string | null>
  /** Whether the service no longer has the answer. */
  readonly isLost: ReadonlySignal<boolean>
}

interface Asked extends SideQuestion {
  readonly answer: Signal<string | null>
  readonly isLost: Signal<boolean>
  readonly running: RunningTurn
  unfollow: () => void
}

/** The side questions of this window, the latest last. */
export class SideQuestions {
  readonly #list = signal<readonly Asked[]>([])

  constructor (readonly options: { api: Api, link: Link, schedule?: Schedule, nowS?: () => number }) {}

  get list (): ReadonlySignal<readonly SideQuestion[]> { return this.#list }

  /** Asks a question. Throws ApiError; status 429 means that too many are being answered. */
  async ask (sessionId: string, question: string): Promise<SideQuestion> {
    const { api, link, schedule = nextFrame, nowS = () => Date.now() / 1000 } = this.options
    const { stream_id: streamId } = await api.postOnce('/api/btw', { session_id: sessionId, question })
    const user: UserMessage = { messageId: null, index: null, text: question, attachments: [], source: 'btw', atS: nowS(), state: 'stored' }
    const live = beginTurn(user)
    const exchange = new Exchange(`btw:${streamId}`, live.turn)
    const running = new RunningTurn(streamId, live, { schedule, nowS, show: (turn) => exchange.show(turn) })
    const asked: Asked = { streamId, sessionId, exchange, answer: signal(null), isLost: signal(false), running, unfollow: () => {} }
    this.#list.value = [...this.#list.peek(), asked]
    asked.unfollow = link.followTurn(streamId, 0, {
      onTurn: (_streamId, _seq, frame) => hear(asked, frame),
      onUnknown: () => {
        asked.isLost.value = true
        running.end({ state: 'interrupted' })
      }
    })
    return asked
  }

  /** Removes a question and stops its answer if it is still in progress. */
  close (streamId: string): void {
    const asked = this.#list.peek().find((one) => one.streamId === streamId)
    if (asked === undefined) return
    asked.unfollow()
    this.#list.value = this.#list.peek().filter((one) => one !== asked)
    if (!asked.running.hasSettled) this.options.api.post('/api/chat/cancel', { stream_id: streamId }).catch(() => {})
  }
}

function hear ({ running, answer }: Asked, frame: TurnFrame): void {
  if (running.hasSettled) return
  running.hear(frame)
  switch (frame.event) {
    case 'done':
      if ('answer' in frame.data) answer.value = frame.data.answer
      return running.end({ state: 'completed' })
    case 'stream_end': return running.end({ state: 'completed' })
    case 'cancel': return running.end({ state: 'cancelled' })
    case 'apperror': {
      running.end({ state: 'failed', problem: problemIn(frame.data) })
    }
  }
}
