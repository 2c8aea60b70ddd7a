import { holdKey, NameTaken, type Description, type Lease } from '../services/areas/machines/index.js'
import { isMachineName } from '../services/ground/remote-folder.js'
import { type NatsLink } from '../services/ground/nats/link.js'

/** A problem that only the person who started this program can fix. The message is shown unchanged. */
export class CannotJoin extends Error {}

export interface BeHereOptions {
  link: NatsLink
  name: string
  /** Id from the state folder: a program that starts again with the same folder is the same machine. */
  holder: string
  /** Identifies this process. */
  instance: string
  describe: () => Promise<Omit<Description, 'instance' | 'generation'>>
  /** Called when another machine has taken the name while this one was disconnected, so that runs here no longer have a service. */
  lost: (reason: string) => void
  log: (message: string) => void
  renewMs?: number
  lookMs?: number
}

/** Registers this machine under its name until it leaves. Throws CannotJoin for an invalid name, or if another machine has it. */
export async function beHere ({ link, name, holder, instance, describe, lost, log, renewMs, lookMs }: BeHereOptions): Promise<Lease> {
  if (!isMachineName(name)) throw new CannotJoin(`"${name}" is not a valid machine name. Use 2 to 32 lower-case letters, digits and hyphens.`)
  try {
    return await holdKey({
      link, key: name, holder, instance, describe, log, renewMs, lookMs,
      lost: (by) => lost(
        `Another machine has taken the name ${name} while this one was cut off${origin(by)}. Stop one of them, or give it another --name.`
      )
    })
  } catch (error) {
    if (!(error instanceof NameTaken)) throw error
    throw new CannotJoin(`A machine named ${name} has already joined${origin(error.by)}. Stop it, or give this one another --name.`)
  }
}

function origin ({ platform, startedAt }: Readonly<Record<string, unknown>>): string {
  if (typeof platform !== 'string' || typeof startedAt !== 'number' || !(Math.abs(startedAt) < 1e11)) return ''
  return ` (${platform}, up since ${new Date(startedAt * 1_000).toISOString().slice(0, 16).replace('T', ' ')} UTC)`
}
