import { signal, type ReadonlySignal, type Signal } from '@preact/signals-core'
import { ApiError, type Api } from '../service/api.js'
import { type TextStore } from '../device/person-store.js'
import { startBody } from '../turn/message-wire.js'
import { createUnsentShelf, type Told, type Unsent } from './unsent.js'

export interface OutboxOptions {
  api: Api
  store: TextStore
  /** Returns the current login; messages of an earlier one are sent only when the person asks for it. */
  login: () => string
  /** Runs functions one at a time across all windows of a browser. */
  alone: <Result>(act: () => Promise<Result>) => Promise<Result>
  /** Whether the service can be reached now. */
  isOpen: () => boolean
  /** Whether the service is known to be unreachable. While neither this nor `isOpen` is true, one message is tried. */
  isCut: () => boolean
  nowMs?: () => number
}

export interface Outbox {
  /** The messages that wait to be sent, the oldest first. */
  readonly unsent: ReadonlySignal<readonly Unsent[]>
  /** The id of the message that is being sent. */
  readonly sending: ReadonlySignal<string | null>
  readonly isCut: () => boolean
  /** Adds a message. Returns false if this browser has no room for it. */
  put: (message: Told) => boolean
  /** Removes and returns a message; null if it is being sent or gone. */
  take: (id: string) => Promise<Unsent | null>
  /** Retries a message that was refused or is of an earlier login. */
  again: (id: string) => void
  /** Sends what can be sent now, in order. Never rejects. Called whenever sending may have become possible. */
  flush: () => Promise<void>
  /** Adds a listener for messages that this outbox has sent. */
  onSent: (listener: (message: Unsent, sessionId: string) => void) => () => void
  /** Reads changes made by other windows. */
  look: () => void
  /** Moves messages of the login `before` to the current one, such as after a change of the password. */
  follow: (before: string) => void
  clear: () => void
}

type Fate = 'sent' | 'again' | 'later' | 'unreachable'

/**
 * Messages that could not be sent. They are stored on this device first and removed when the service has them. Every attempt uses the same
 * id, so that none is stored twice.
 */
export function createOutbox ({ api, store, login, alone, isOpen, isCut, nowMs = Date.now }: OutboxOptions): Outbox {
  const unsent = signal<readonly Unsent[]>([])
  const sending = signal<string | null>(null)
  const listeners = new Set<(message: Unsent, sessionId: string) => void>()
  const shelf = createUnsentShelf(store, login, nowMs)

  const look = (): void => { unsent.value = shelf.read() }

  function change (id: string, change: Partial<Unsent>): Unsent | null {
    const next = shelf.change(id, change)
    look()
    return next
  }

  function remove (id: string): void {
    shelf.remove(id)
    look()
  }

  const attempt = createDelivery({
    api, change, sending, sent: (message, sessionId) => {
      remove(message.id)
      for (const listener of listeners) listener(message, sessionId)
    }
  })

  async function flush (): Promise<void> {
    if (shelf.read().length === 0 || !isOpen()) return look()
    await alone(async () => {
      // The order within each session is kept: messages behind a waiting one wait too.
      const held = new Set<string>()
      for (let next = nextOf(shelf.read(), held); next !== undefined && isOpen(); next = nextOf(shelf.read(), held)) {
        const fate = await attempt(next)
        if (fate === 'unreachable') break
        if (fate === 'later') held.add(next.sessionId ?? next.id)
      }
    })
    look()
  }

  look()
  return {
    unsent,
    sending,
    isCut,
    put (message) {
      if (!shelf.add(message)) return false
      look()
      void flush()
      return true
    },
    take: async (id) => {
      // A message that is being sent cannot be taken out.
      if (sending.peek() === id) return null
      return await alone(async () => {
        const message = shelf.read().find((one) => one.id === id) ?? null
        remove(id)
        return message
      })
    },
    again (id) {
      change(id, { problem: null })
      void flush()
    },
    flush,
    onSent (listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    look,
    follow (before) {
      shelf.follow(before)
      look()
    },
    clear () {
      for (const { id } of shelf.read()) shelf.remove(id)
      look()
    }
  }
}

interface DeliveryOptions extends Pick<OutboxOptions, 'api'> {
  /** Changes what is stored of a message; null if it is gone. */
  change: (id: string, change: Partial<Unsent>) => Unsent | null
  sending: Signal<string | null>
  /** Called when the service has a message. */
  sent: (message: Unsent, sessionId: string) => void
}

/** Returns a function that sends a message once and decides what becomes of it. Rejects only for bugs. */
function createDelivery ({ api, change, sending, sent }: DeliveryOptions): (message: Unsent) => Promise<Fate> {
  async function deliver (message: Unsent): Promise<Fate> {
    const sessionId = message.sessionId ?? (await api.post('/api/session/new', message.newSession)).session.session_id
    if (message.sessionId === null) change(message.id, { sessionId })
    // Stored before it is sent, so that after a crash it is clear that the message may have arrived.
    if (change(message.id, { sessionId, isTried: true }) === null) return 'later'
    await api.postOnce('/api/chat/start', startBody(sessionId, message), message.id)
    sent(message, sessionId)
    return 'sent'
  }

  return async (message) => {
    sending.value = message.id
    try {
      return await deliver(message)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.status === 0) return 'unreachable'
      const isBusy = error.body.active_stream_id !== undefined
      // A turn runs there, so the message did not arrive. In the queue of the service it no longer depends on this device.
      if (isBusy && message.isQueued !== true) {
        change(message.id, { isQueued: true, isTried: false })
        return 'again'
      }
      // A full queue, or a failure of the service, is temporary.
      if (isBusy || error.status === 429 || error.status >= 500) return 'later'
      change(message.id, { problem: error.message, isTried: false })
      return 'later'
    } finally {
      sending.value = null
    }
  }
}

function nextOf (messages: readonly Unsent[], held: ReadonlySet<string>): Unsent | undefined {
  const stuck = new Set(held)
  return messages.find((message) => {
    const of = message.sessionId ?? message.id
    if (message.problem !== null || message.isEarlier === true) stuck.add(of)
    return !stuck.has(of)
  })
}

/** Returns the lock for all windows; null in a browser without locks, where unsent messages stay in the box. */
export function windowLock (): OutboxOptions['alone'] | null {
  const { locks }: Partial<Navigator> = navigator
  return locks === undefined ? null : async (act) => await locks.request('unsent', act)
}
