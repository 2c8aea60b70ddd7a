import { type approvalFrames, type questionFrames } from '../../schemas/prompts.js'
import { framesOf, type EventBroker, type NewFrame, type Subscription, type Topic } from '../ground/events/index.js'
import { visible, visibleDeep, visibleProse } from '../ground/visible.js'
import { type Expiries } from './expiries.js'
import { type PromptKind, type PromptRow, type PromptRows } from './rows.js'
import { inOverview, toWire, type OpenPrompt, type PendingOf, type PendingPrompt } from './wire.js'

const approvalFrame = framesOf<typeof approvalFrames>()
const questionFrame = framesOf<typeof questionFrames>()

export interface CardsOptions {
  events: EventBroker
  rows: PromptRows
  expiries: Expiries
  /** A value as it is shown: with credentials masked, unless the settings say otherwise. */
  shown: <T>(value: T) => T
}

/** What waits, as people see it: the card on top of each session, all that are open, and who is told when it changes. */
export class PromptCards {
  constructor (readonly options: CardsOptions) {}

  /** A prompt as a person reads it before they decide: nothing in it is hidden. What runs is what was asked, to the character. */
  #presented (row: PromptRow): PendingPrompt {
    const shown = this.options.shown(toWire({ ...row, expiresAt: this.options.expiries.of(row) }))
    return visibleDeep(shown, row.kind === 'approval' ? visible : visibleProse)
  }

  /** The one on top of a session, and how many there are. */
  pending<K extends PromptKind> (sessionId: string, kind: K): PendingOf[K] {
    const { rows } = this.options
    const row = rows.head(sessionId, kind)
    return { pending: row === undefined ? null : this.#presented(row), pending_count: rows.count(sessionId, kind) } as PendingOf[K]
  }

  /** Every open prompt of every session, oldest first. */
  allOpen (): OpenPrompt[] {
    const { rows, shown } = this.options
    return rows.everyOpen().map(({ prompt, title, profile }) => inOverview(this.#presented(prompt), { session_title: visibleProse(shown(title)), profile }))
  }

  /** What waits in a session, the first in front; null when nothing does. */
  waiting (sessionId: string, kind: PromptKind): { title: string, profile: string, prompts: PendingPrompt[] } | null {
    const { rows, shown } = this.options
    const queue = rows.queue(sessionId, kind)
    const [first] = queue
    return first === undefined
      ? null
      : { title: visibleProse(shown(first.title)), profile: first.profile, prompts: queue.map(({ prompt }) => this.#presented(prompt)) }
  }

  /** The one of `choices` that a response means: whoever chose from what is shown means what was offered. */
  chosen (choices: readonly string[], response: string): string {
    return choices.includes(response) ? response : choices.find((choice) => visibleProse(this.options.shown(choice)) === response) ?? response
  }

  watch (sessionId: string, kind: PromptKind): Subscription {
    return this.options.events.watch(topicOf(sessionId, kind), () => this.#frame(sessionId, kind, 'initial'))
  }

  /** Tells every device about the card that is on top now. */
  publish (sessionId: string, kind: PromptKind): void {
    this.options.events.publish(topicOf(sessionId, kind), () => this.#frame(sessionId, kind, kind))
  }

  #frame (sessionId: string, kind: PromptKind, event: PromptKind | 'initial'): NewFrame {
    return kind === 'approval'
      ? approvalFrame(event === 'initial' ? event : kind, this.pending(sessionId, kind))
      : questionFrame(event === 'initial' ? event : kind, this.pending(sessionId, kind))
  }
}

function topicOf (id: string, kind: PromptKind): Topic {
  return { kind: kind === 'approval' ? 'approvals' : 'questions', id }
}
