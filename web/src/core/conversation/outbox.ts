import { signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError, type Api } from '../service/api.js'
import { type TextStore } from '../device/person-store.js'
import { startBody } from '../turn/turn-stored.js'
import { createUnsentShelf, type Told, type Unsent } from './unsent.js'

export interface OutboxOptions {
  api: Api
  store: TextStore
  /** Whose messages they are, as of now; those of an earlier login are sent only when somebody says so. */
  login: () => string
  /** One at a time of all the windows of a browser. */
  alone: <Result>(act: () => Promise<Result>) => Promise<Result>
  /** There is a way to the service now. */
  isOpen: () => boolean
  /** There is none, as far as this device knows. Between both, one tries. */
  isCut: () => boolean
  nowMs?: () => number
}

export interface Outbox {
  /** What waits to be sent, the first first. */
  readonly unsent: ReadonlySignal<readonly Unsent[]>
  /** The one that is on its way. */
  readonly sending: ReadonlySignal<string | null>
  readonly isCut: () => boolean
  /** Takes a message in; false: this browser has no room for it. */
  put: (message: Told) => boolean
  /** Takes one out, to be written anew or not at all; null: it is on its way or gone. */
  take: (id: string) => Promise<Unsent | null>
  /** What the service did not want, or an earlier login has left, is tried now. */
  again: (id: string) => void
  /** Sends what can be sent now, in order. Never rejects; called whenever that may have become possible. */
  flush: () => Promise<void>
  /** Hears of each that has arrived from here. */
  onSent: (listener: (message: Unsent, sessionId: string) => void) => () => void
  /** Another window has changed something. */
  look: () => void
  /** The same person has another login than `before`, such as after a change of the password. */
  follow: (before: string) => void
  clear: () => void
}

type Fate = 'sent' | 'later' | 'unreachable'

/**
 * Messages that could not be handed over. They are stored on this device before anything else is said of them, and leave it when the
 * service has them: each attempt calls a message the same, so that none is stored twice.
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

  async function attempt (message: Unsent): Promise<Fate> {
    sending.value = message.id
    try {
      return await deliver(message)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.status === 0) return 'unreachable'
      // A turn runs there: its end is waited for. What is wrong with the service itself passes as well.
      if (error.body.active_stream_id !== undefined || error.status === 429 || error.status >= 500) return 'later'
      change(message.id, { problem: error.message, isTried: false })
      return 'later'
    } finally {
      sending.value = null
    }
  }

  async function deliver (message: Unsent): Promise<Fate> {
    const sessionId = message.sessionId ?? (await api.post('/api/session/new', message.newSession)).session.session_id
    if (message.sessionId === null) change(message.id, { sessionId })
    // Written down before it goes: whoever comes after a crash knows that it may have arrived.
    if (change(message.id, { sessionId, isTried: true }) === null) return 'later'
    await api.postOnce('/api/chat/start', startBody(sessionId, message), message.id)
    remove(message.id)
    for (const listener of listeners) listener(message, sessionId)
    return 'sent'
  }

  async function flush (): Promise<void> {
    if (shelf.read().length === 0 || !isOpen()) return look()
    await alone(async () => {
      // Of each session in order: behind one that has to wait, the others wait too.
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
      // Whoever sends has it until it is known what became of it.
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

function nextOf (messages: readonly Unsent[], held: ReadonlySet<string>): Unsent | undefined {
  const stuck = new Set(held)
  return messages.find((message) => {
    const of = message.sessionId ?? message.id
    if (message.problem !== null || message.isEarlier === true) stuck.add(of)
    return !stuck.has(of)
  })
}

/** Browsers that have no locks cannot tell one window that another sends: null there, and what cannot be sent stays in the box. */
export function windowLock (): OutboxOptions['alone'] | null {
  const { locks }: Partial<Navigator> = navigator
  return locks === undefined ? null : async (act) => await locks.request('unsent', act)
}
