import { randomBytes } from 'node:crypto'
import { type Subscription } from '../../ground/events/index.js'
import { fieldsOf } from '../../ground/fields.js'
import { isOneOf } from '../../ground/one-of.js'
import { sections as memorySections } from '../memory/index.js'
import { Beginnings } from './beginnings.js'
import { feedTopic, nudge, type Change, type FeedOptions, type FeedRequest, type FeedSource } from './contract.js'
import { CountsWatch } from './counts.js'
import { numberToCursor, parseCursor } from './cursor.js'
import { Frames } from './frames.js'
import { FeedReader } from './reader.js'
import { Ring } from './ring.js'

/** More than what happens while a connection is lost for some minutes; a reader that is further behind gets a snapshot. */
const keptChanges = 4_096
/** Kinds of changes that may change the counts. */
const countedIn: ReadonlySet<Change['kind']> = new Set(['session', 'list', 'prompts', 'home'])
/** The reason that the list gives when conversations of other programs have changed. */
const foreignMoved = 'session_imported'

/**
 * Everything that an operator's clients need to know, over one connection each. A bounded list keeps only the names of what has changed; a
 * reader is sent the state at the time when it reads. So a reader costs only a position, a slow one is sent each thing once, and one that
 * returns with a cursor misses nothing.
 */
export class Feed implements FeedSource {
  readonly epoch = randomBytes(6).toString('base64url')
  readonly changes = new Ring<Change>(keptChanges)
  readonly beginnings = new Beginnings()
  /** null until first needed, so that the start does not have to read them. */
  #foreign: Map<string, string> | null = null
  #isTelling = false
  readonly #counts: CountsWatch
  readonly #deaf: () => void

  constructor (readonly options: FeedOptions) {
    this.#counts = new CountsWatch({
      counts: options.counts,
      isRead: () => options.events.isWatched(feedTopic),
      changed: (id) => this.#push({ kind: 'counts', id })
    })
    this.#deaf = options.events.listen((topic, make) => {
      if (topic.kind === 'sessions') this.#listChanged(fieldsOf(JSON.parse(make().data)))
      else if (topic.kind === 'session') this.beginnings.heard(topic.id, make)
      else if (topic.kind === 'approvals') this.#push({ kind: 'prompts', id: topic.id, of: 'approval' })
      else if (topic.kind === 'questions') this.#push({ kind: 'prompts', id: topic.id, of: 'clarify' })
      else if (topic.kind === 'settings' || topic.kind === 'hosts') this.#push({ kind: topic.kind })
      else if (topic.kind === 'profile' || topic.kind === 'home') this.#push({ kind: topic.kind, id: topic.id })
      else if (topic.kind === 'memory') {
        const [profile = '', section] = topic.id.split(' ')
        if (isOneOf(memorySections, section)) this.#push({ kind: 'memory', profile, section })
      } else if (topic.kind === 'notice') {
        const { event, data } = make()
        this.#push({ kind: 'notice', event, text: data })
      }
    })
  }

  open (request: FeedRequest): Subscription {
    this.#counts.follow(request.flags.profile)
    return new FeedReader(this, request, request.cursor === null ? null : parseCursor(request.cursor))
  }

  /** Returns the current state in the form of the frame `snapshot`, and the cursor from which a client continues. */
  snapshot (request: Pick<FeedRequest, 'flags' | 'limit' | 'reader'>): { text: string, cursor: string } {
    return {
      text: new Frames(this.options, request).snapshot().data, cursor: `${this.epoch}.${numberToCursor(this.changes.lastSeq)}`
    }
  }

  /** Stops listening. */
  close (): void {
    this.#deaf()
    this.#counts.close()
  }

  #listChanged ({ session_id: id, reason }: Record<string, unknown>): void {
    if (typeof id === 'string') return this.#push({ kind: 'session', id })
    const before = this.#foreign
    this.#foreign = this.#foreignTexts()
    if (reason !== foreignMoved || before === null) return this.#push({ kind: 'list' })
    for (const id of new Set([
      ...before.keys(), ...this.#foreign.keys()
    ])) if (before.get(id) !== this.#foreign.get(id)) this.#push({ kind: 'session', id })
  }

  #foreignTexts (): Map<string, string> {
    return new Map(this.options.foreign().map((row) => [row.session_id, JSON.stringify(row)]))
  }

  /** Readers are notified once for all changes of one pass of the event loop. */
  #push (change: Change): void {
    this.changes.push(change)
    if (countedIn.has(change.kind)) this.#counts.look()
    if (this.#isTelling) return
    this.#isTelling = true
    setImmediate(() => {
      this.#isTelling = false
      this.options.events.publish(feedTopic, () => nudge)
    })
  }
}
