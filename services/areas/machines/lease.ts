import { setTimeout as delay } from 'node:timers/promises'
import { fieldsOf } from '../../ground/fields.js'
import { type NatsLink } from '../../ground/nats/link.js'
import { errorCode, inWords, wrongRevision } from '../../ground/nats/trouble.js'

/** Somebody else holds the name, and is alive. */
export class NameTaken extends Error {
  constructor (readonly key: string, readonly by: Readonly<Record<string, unknown>>) {
    super(`${key} is held by somebody else`)
    this.name = 'NameTaken'
  }
}

export interface LeaseOptions {
  link: NatsLink
  /** The key in the bucket of machines. */
  key: string
  /** Names the state folder: who comes up in it again takes the key of the process before over at once. */
  holder: string
  /** Names this process. */
  instance: string
  /** What stands under the key beside that; asked for each time it is renewed. */
  describe: () => Promise<object>
  /** Called once when somebody else has taken the key meanwhile; it is not renewed any more then. */
  lost: (by: Readonly<Record<string, unknown>>) => void
  /** Once for each kind of trouble, until the key could be renewed again. */
  log: (message: string) => void
  renewMs?: number
  /** How often somebody else's key is looked at, whether it is renewed or gone. */
  lookMs?: number
}

export interface Lease {
  /** Revision of the key when this process took it first: higher than that of everybody before it. */
  readonly generation: number
  /** Tells how things are now, without waiting for the next time. */
  renew (): Promise<void>
  /** Lets the key go. */
  leave (): Promise<void>
}

interface Found { revision: number, value: Readonly<Record<string, unknown>> }

const renewEveryMs = 5_000
const lookEveryMs = 1_000

/**
 * Takes a key of the bucket in which machines and the service say that they are there, and renews it until it is let go. Every write names
 * the revision it replaces, so of two that want it one gets it. Comes back by itself after a cut, also when the key has expired meanwhile.
 * Nothing but this one key is touched, and no consumer is made. Throws NameTaken where somebody else renews it.
 */
export async function holdKey (options: LeaseOptions): Promise<Lease> {
  const { link, key, holder, instance, describe, lost, log, renewMs = renewEveryMs, lookMs = lookEveryMs } = options
  const stream = `KV_${link.subjects.presence}`
  const subject = `$KV.${link.subjects.presence}.${key}`
  let generation = 0
  let revision = 0
  let isOver = false
  let trouble = ''

  async function read (): Promise<Found | null> {
    const message = await link.jsm.direct.getMessage(stream, { last_by_subj: subject })
    return message === null ? null : { revision: message.seq, value: parsed(message.data) }
  }

  async function put (after: number, more: object): Promise<void> {
    const value = { ...more, holder, instance, ...(generation > 0 && { generation }) }
    const { seq } = await link.js.publish(subject, JSON.stringify(value), { expect: { lastSubjectSequence: after } })
    revision = seq
  }

  /**
   * Replaces what this process wrote last, also where that has expired, is gone with all that the server had, or was written once more
   * without an acknowledgement. Resolves with what somebody else has written meanwhile, and leaves that; null: it is written.
   */
  async function write (more: object): Promise<Found['value'] | null> {
    try {
      await put(revision, more)
    } catch (error) {
      if (errorCode(error) !== wrongRevision) throw error
      const found = await read()
      if (isHeld(found) && found.value['instance'] !== instance) return found.value
      await put(found?.revision ?? 0, more)
    }
    return null
  }

  /** Waits until whoever holds it has gone, or shows that it lives. */
  async function free (): Promise<number> {
    const first = await read()
    let found = first
    while (isHeld(found) && found.value['holder'] !== holder) {
      if (found.revision !== first?.revision) throw new NameTaken(key, found.value)
      await delay(lookMs)
      found = await read()
    }
    return found?.revision ?? 0
  }

  async function renew (): Promise<void> {
    if (isOver || !link.isConnected()) return
    try {
      const taker = await write(await describe())
      if (taker !== null && !isOver) {
        isOver = true
        clearInterval(timer)
        lost(taker)
      }
      trouble = ''
    } catch (error) {
      const words = inWords(error)
      if (!isOver && trouble !== words) log(`The presence of ${key} cannot be reported: ${words}`)
      trouble = words
    }
  }

  for (;;) {
    const after = await free()
    try {
      await put(after, await describe())
      break
    } catch (error) {
      // Somebody was quicker.
      if (errorCode(error) !== wrongRevision) throw error
    }
  }
  generation = revision
  let renewing = Promise.resolve()
  const soon = async (): Promise<void> => await (renewing = renewing.then(renew))
  const timer = setInterval(() => { void soon() }, renewMs)
  link.onChange((isConnected) => { if (isConnected) void soon() })
  return {
    generation,
    renew: soon,
    async leave () {
      if (isOver) return
      isOver = true
      clearInterval(timer)
      await renewing
      if (link.isConnected()) await write({ left: true }).catch(() => {})
    }
  }
}

/** Not one that was let go, or was taken away by somebody who may do that. */
function isHeld (found: Found | null): found is Found {
  return found !== null && typeof found.value['instance'] === 'string' && found.value['left'] !== true
}

function parsed (bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString())
    return fieldsOf(value)
  } catch {
    return {}
  }
}
