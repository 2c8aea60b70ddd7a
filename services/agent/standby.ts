import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { count, text } from './forms.js'

// Files that a host that outlives its service keeps in a folder of its own, where the next service finds them.

/** The settings for this that a host gets from the service that starts it. */
export interface Standby {
  /** Its folder, which it creates. */
  folder: string
  profile: string
  /** Identifies the program and settings of the host: a service that would start a different one gives it no new turns. */
  fit: string
  /** How long it waits for a service before it ends its turns. */
  waitMs: number
}

export const hostsFolder = (stateDir: string): string => join(stateDir, 'hosts')

export const standbyFiles = ({ folder }: Pick<Standby, 'folder'>) => ({
  /** Says which host it is, and holds the secret for connecting to it. */
  card: join(folder, 'host.json'),
  socket: join(folder, 'socket'),
  /** Services of other releases know it by this name. */
  spool: join(folder, 'said')
})

/** Version of the form of the file with events. A service reads that file if it knows this, whatever protocol the host speaks. */
export const spoolVersion = 1

// Services of other releases read it, too: fields are only added, and every host understands `hello` and answers `ping`.
const cardForm = Type.Object({
  profile: text, fit: text, mark: Type.String({ minLength: 1 }), pid: count, v: Type.Number(), said: Type.Optional(Type.Number()),
  secret: text, place: text
})
export type HostCard = Static<typeof cardForm>

/** Returns a value that distinguishes the folder of a host from a copy of it, even if it is moved. */
export async function placeOf ({ folder }: Pick<Standby, 'folder'>): Promise<string> {
  const { dev, ino } = await stat(folder, { bigint: true })
  return `${dev}:${ino}`
}

/** Reads the card of a host; null if it does not exist or cannot be read. */
export async function readCard (standby: Pick<Standby, 'folder'>): Promise<HostCard | null> {
  try {
    const card: unknown = JSON.parse(await readFile(standbyFiles(standby).card, 'utf8'))
    return Value.Check(cardForm, card) ? card : null
  } catch {
    return null
  }
}

/** The first message over the socket. */
export const helloForm = Type.Object({ type: Type.Literal('hello'), secret: text })
export type Hello = Static<typeof helloForm>
