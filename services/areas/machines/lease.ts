import { setTimeout as delay } from 'node:timers/promises'
import { fieldsOf } from '../../ground/fields.js'
import { type NatsLink } from '../../ground/nats/link.js'
import { errorCode, inWords, wrongRevision } from '../../ground/nats/trouble.js'
import { parseJson } from '../../ground/text/parse-json.js'

/** Thrown when another living process holds the name. */
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
  /** Names the state folder: a process that starts in the same folder takes the key over from the previous process at once. */
  holder: string
  /** Names this process. */
  instance: string
  /** The other fields of the key's value; called at each renewal. */
  describe: () => Promise<object>
  /** Called once if another process has taken the key. It is not renewed after that. */
  lost: (by: Readonly<Record<string, unknown>>) => void
  /** Called once for each kind of trouble, until a renewal succeeds again. */
  log: (message: string) => void
  renewMs?: number
  /** How often a key of another process is checked, to see whether it is renewed or gone. */
  lookMs?: number
}

export interface Lease {
  /** Revision at which this process first took the key: higher than that of any process before it. */
  readonly generation: number
  /** Renews the key with the current state, without waiting for the next interval. */
  renew (): Promise<void>
  /** Releases the key. */
  leave (): Promise<void>
}

interface BucketEntry { revision: number, value: Readonly<Record<string, unknown>> }

const renewEveryMs = 5_000
const lookEveryMs = 1_000

/**
 * Takes a key of the bucket in which machines and the service announce themselves, and renews it until it is released. Every write names
 * the revision that it replaces, so only one of two competing processes gets the key. Recovers by itself after an interruption, even if the
 * key has expired meanwhile. Touches no other key, and creates no consumer. Throws NameTaken if another process renews the key.
 */
export async function holdKey (options: LeaseOptions): Promise<Lease> {
  const { link, key, holder, instance, describe, lost, log, renewMs = renewEveryMs, lookMs = lookEveryMs } = options
  const stream = `KV_${link.subjects.presence}`
  const subject = `$KV.${link.subjects.presence}.${key}`
  let generation = 0
  let revision = 0
  let isOver = false
  let trouble = ''

  async function read (): Promise<BucketEntry | null> {
    const message = await link.jsm.direct.getMessage(stream, { last_by_subj: subject })
    return message === null ? null : { revision: message.seq, value: fieldsOf(parseJson(Buffer.from(message.data).toString())) }
  }

  async function put (after: number, more: object): Promise<void> {
    const value = { ...more, holder, instance, ...(generation > 0 && { generation }) }
    const { seq } = await link.js.publish(subject, JSON.stringify(value), { expect: { lastSubjectSequence: after } })
    revision = seq
  }

  /**
   * Replaces this process's last write, even if that has expired, was lost together with all data of the server, or was written again
   * without an acknowledgement. Returns null when the write succeeded. If another process has written meanwhile, leaves its value in place
   * and returns it.
   */
  async function write (more: object): Promise<BucketEntry['value'] | null> {
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

  /** Waits until the holder has gone. Throws NameTaken if the holder shows that it is alive. */
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
      // Another process was faster.
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

/** Returns false for a key that was released, or was removed by someone allowed to do that. */
function isHeld (found: BucketEntry | null): found is BucketEntry {
  return found !== null && typeof found.value['instance'] === 'string' && found.value['left'] !== true
}
