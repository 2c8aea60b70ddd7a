import { NotFound, TooMany } from '../../ground/errors.js'
import { type EventBroker, type Subscription } from '../../ground/events/index.js'
import { type StoredMessage } from '../sessions/index.js'
import { type Manner, type Speech } from './speech.js'
import { loadSpokenText } from './spoken-text.js'
import { SpokenTurn } from './spoken-turn.js'

export interface SpokenTurnsOptions {
  events: Pick<EventBroker, 'subscribe'>
  speech: Speech
  /** Throws NotFound for an unknown stream. */
  turnOf: (streamId: string) => { sessionId: string, profile: string }
  answers: (sessionId: string, streamId: string, from: number) => StoredMessage[]
}

export interface Listener {
  streamId: string
  manner: Manner
  /** Number of the last sound that the listener has; 0: none. */
  after: number
  /** The client that listeners are counted by. */
  client: string
}

/** Limits, because each listener keeps an engine busy. */
const most = { ofClient: 4, ofAll: 16 }

/** Turns as sound, for listeners while they run, or afterwards. */
export function createSpokenTurns ({ events, speech, turnOf, answers }: SpokenTurnsOptions) {
  const open = new Map<string, number>()
  let all = 0

  function enter (client: string): () => void {
    const own = open.get(client) ?? 0
    if (own >= most.ofClient || all >= most.ofAll) {
      throw new TooMany('Too many turns are being spoken at once. Close one and try again.', undefined, { retryAfterS: 2 })
    }
    open.set(client, own + 1)
    all++
    return () => {
      all--
      const left = (open.get(client) ?? 1) - 1
      if (left === 0) open.delete(client)
      else open.set(client, left)
    }
  }

  return {
    /**
     * Returns a turn as sound. Throws NotFound for an unknown one or one whose frames were discarded, Invalid and Unavailable as the engine
     * does, and TooMany.
     */
    async listen ({ streamId, manner, after, client }: Listener): Promise<Subscription> {
      const { sessionId, profile } = turnOf(streamId)
      const speaker = speech.speaker(profile, manner)
      await speaker.assertThere()
      const spokenText = await loadSpokenText()
      const closed = enter(client)
      const source = events.subscribe(streamId, 0)
      if (source === null) {
        closed()
        throw new NotFound('stream not found')
      }
      return new SpokenTurn({ streamId, source, speaker, spokenText, after, answers: (from) => answers(sessionId, streamId, from), closed })
    },

    /** The number of open ones. */
    open: (): number => all
  }
}

export type SpokenTurns = ReturnType<typeof createSpokenTurns>
