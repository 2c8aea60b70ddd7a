import { NotFound } from '../../ground/errors.js'
import { type approvalFrames, type questionFrames } from '../../../schemas/prompts.js'
import { encodeFrame, framesOf, type EventBroker, type NewFrame, type Subscription, type Topic } from '../../ground/events/index.js'
import { redact } from '../../ground/redaction/index.js'
import { visibleProse } from '../../ground/text/visible.js'
import { type Expiries } from './expiries.js'
import { isOpen, type PromptKind, type PromptRow, type PromptRows } from './rows.js'
import { pageOf, type LongField, type TextPage } from './texts.js'
import { choiceAsShown, inOverview, toWire, type OpenPrompt, type PendingOf, type PendingPrompt } from './wire.js'

const approvalFrame = framesOf<typeof approvalFrames>()
const questionFrame = framesOf<typeof questionFrames>()

export interface CardsOptions {
  events: EventBroker
  rows: PromptRows
  expiries: Expiries
  /** Whether credentials are masked in what is shown. */
  isMasked: () => boolean
}

/** Readers who may decide see the whole consequences; others see the masked card. */
export interface Reader { mayDecide: boolean }
export const onlooker: Reader = { mayDecide: false }

/** Open prompts as people see them: the card on top of each session, all open prompts, and the notification of changes. */
export class PromptCards {
  constructor (readonly options: CardsOptions) {}

  #presented (row: PromptRow, { mayDecide }: Reader): PendingPrompt {
    const { expiries, isMasked } = this.options
    return toWire({ ...row, expiresAt: expiries.of(row) }, !isMasked() ? 'unmasked' : mayDecide ? 'deciding' : 'looking')
  }

  #title (title: string): string {
    return visibleProse(this.options.isMasked() ? redact(title) : title)
  }

  /** Returns the prompt on top of a session, and the number of open ones. */
  pending<K extends PromptKind> (sessionId: string, kind: K, reader: Reader): PendingOf[K] {
    const { rows } = this.options
    const row = rows.head(sessionId, kind)
    return { pending: row === undefined ? null : this.#presented(row, reader), pending_count: rows.count(sessionId, kind) } as PendingOf[K]
  }

  /** Returns all open prompts of all sessions, oldest first. */
  allOpen (reader: Reader): OpenPrompt[] {
    return this.options.rows.everyOpen().map(({ prompt, title, profile }) =>
      inOverview(this.#presented(prompt, reader), { session_title: this.#title(title), profile }))
  }

  /** Returns the open prompts of a session, the first in front; null if there are none. */
  waiting (sessionId: string, kind: PromptKind, reader: Reader): { title: string, profile: string, prompts: PendingPrompt[] } | null {
    const queue = this.options.rows.queue(sessionId, kind)
    const [first] = queue
    return first === undefined
      ? null
      : { title: this.#title(first.title), profile: first.profile, prompts: queue.map(({ prompt }) => this.#presented(prompt, reader)) }
  }

  /** Returns a page of a text of an open approval, for readers who may decide. Throws NotFound. */
  page (sessionId: string, id: string, field: LongField, at: number): TextPage {
    const row = this.options.rows.find(id)
    if (row === undefined || row.sessionId !== sessionId || row.kind !== 'approval' || !isOpen(row)) {
      throw new NotFound('This approval no longer waits')
    }
    return pageOf(row.body, field, at, this.options.isMasked())
  }

  /** Returns the choice that a response means: a response in the words that were shown means the original choice. */
  chosen (choices: readonly string[], response: string): string {
    return choices.includes(response) ? response : choices.find((choice) => choiceAsShown(choice).includes(response)) ?? response
  }

  watch (sessionId: string, kind: PromptKind, reader: Reader): Subscription {
    const frame = (event: PromptKind | 'initial'): NewFrame => this.#frame(sessionId, kind, event, reader)
    const watched = this.options.events.watch(topicOf(sessionId, kind), () => frame('initial'))
    return reader.mayDecide ? watched : readAnew(watched, frame, kind)
  }

  /** Sends the card that is on top now to all devices. */
  publish (sessionId: string, kind: PromptKind): void {
    this.options.events.publish(topicOf(sessionId, kind), () => this.#frame(sessionId, kind, kind, { mayDecide: true }))
  }

  #frame (sessionId: string, kind: PromptKind, event: PromptKind | 'initial', reader: Reader): NewFrame {
    return kind === 'approval'
      ? approvalFrame(event === 'initial' ? event : kind, this.pending(sessionId, kind, reader))
      : questionFrame(event === 'initial' ? event : kind, this.pending(sessionId, kind, reader))
  }
}

/**
 * Wraps a subscription for a reader who sees another variant of the card than was published: the card is made when it is read.
 */
function readAnew (watched: Subscription, frame: (event: PromptKind | 'initial') => NewFrame, kind: PromptKind): Subscription {
  let isFirst = true
  return {
    read (maxBytes) {
      if (watched.read(maxBytes).length === 0) return []
      const event = isFirst ? 'initial' : kind
      isFirst = false
      return [encodeFrame(frame(event))]
    },
    get ended () { return watched.ended },
    get position () { return watched.position },
    onReadable: (listener) => watched.onReadable(listener),
    close: () => watched.close()
  }
}

function topicOf (id: string, kind: PromptKind): Topic {
  return { kind: kind === 'approval' ? 'approvals' : 'questions', id }
}
