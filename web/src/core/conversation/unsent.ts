import { newClientId } from '../service/api.js'
import { type ModelPick, type NewSession } from './conversation-state.js'
import { type TextStore } from '../device/person-store.js'
import { type Attachment } from '../turn/turn.js'

/** A message that the service has not stored yet, as far as this device knows. */
export interface Unsent {
  /** The id by which the service recognises repeated attempts. */
  readonly id: string
  /** Null for a message that begins a session, created with `newSession`. */
  readonly sessionId: string | null
  readonly newSession: NewSession
  readonly text: string
  readonly attachments: readonly Attachment[]
  readonly atMs: number
  /** The model for this message, or from now on. */
  readonly pick?: ModelPick | undefined
  /** Whether it joins the queue if the session is busy. */
  readonly isQueued?: boolean | undefined
  /** Whether an attempt was made whose outcome is unknown. */
  readonly isTried: boolean
  /** Why the service refused it; the person decides what to do with it. */
  readonly problem: string | null
  /** Whether it was written before the last sign-in; then it is sent only when the person asks for it. */
  readonly isEarlier?: boolean
}

/** The properties of a message when it is added. */
export type Told = Pick<Unsent, 'sessionId' | 'text'> & Partial<Pick<Unsent, 'attachments' | 'newSession' | 'pick' | 'isQueued'>> & {
  /** The id of an attempt whose outcome is unknown. */
  triedAs?: string | null
}

const prefix = 'unsent '

/**
 * The unsent messages on this device. Those of an earlier login are marked, and deleted only by signing out. Every method first reads
 * changes made by other windows. `login` returns the current one.
 */
export function createUnsentShelf (store: TextStore, login: () => string, nowMs: () => number) {
  const keyOf = (id: string): string => `${prefix}${id}`
  const write = ({ isEarlier, ...message }: Unsent, of = login()): void =>
    store.setItem(keyOf(message.id), JSON.stringify({ ...message, login: of }))

  /** Returns the messages in the order in which they were written. */
  function read (): Unsent[] {
    const found: Unsent[] = []
    for (const key of Array.from({ length: store.length }, (_, place) => store.key(place))) {
      if (key?.startsWith(prefix) !== true) continue
      const message = parsed(store.getItem(key))
      if (message === null) continue
      const { login: of, ...unsent } = message
      found.push(of === login() ? unsent : { ...unsent, isEarlier: true })
    }
    return found.toSorted((a, b) => a.atMs - b.atMs || (a.id < b.id ? -1 : 1))
  }

  return {
    read,

    /** Adds a message at the end. Returns false if there is no room. */
    add ({ sessionId, text, attachments = [], newSession = {}, pick, isQueued, triedAs = null }: Told): boolean {
      const atMs = Math.max(nowMs(), (read().at(-1)?.atMs ?? 0) + 1)
      try {
        write({
          id: triedAs ?? newClientId(), sessionId, newSession, text, attachments, pick, isQueued, atMs, isTried: triedAs !== null,
          problem: null
        })
        return true
      } catch {
        return false
      }
    },

    /** Changes and returns a message; null if it is gone. */
    change (id: string, change: Partial<Unsent>): Unsent | null {
      const message = read().find((one) => one.id === id)
      if (message === undefined) return null
      const next = { ...message, ...change, isEarlier: false }
      write(next)
      return next
    },

    /** Moves messages of an earlier login of the same person to the current one. */
    follow (before: string): void {
      for (const message of read()) if (parsed(store.getItem(keyOf(message.id)))?.login === before) write(message)
    },

    remove (id: string): void { store.removeItem(keyOf(id)) }
  }
}

function parsed (text: string | null): (Unsent & { login: string }) | null {
  try {
    const message = JSON.parse(text ?? 'null') as (Unsent & { login: string }) | null
    return typeof message?.text === 'string' && typeof message.id === 'string' && Array.isArray(message.attachments) ? message : null
  } catch {
    return null
  }
}
