import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { count, text } from './forms.js'

// What a host that outlives its service leaves in a folder of its own, and the next service finds there.

/** What a host is told of it by the service that starts it. */
export interface Standby {
  /** Its folder, which it makes. */
  folder: string
  profile: string
  /** What it was started from and with: a service that would start another one gives it no new turns. */
  fit: string
  /** How long it waits for a service before it ends its turns. */
  waitMs: number
}

export const hostsFolder = (stateDir: string): string => join(stateDir, 'hosts')

export const standbyFiles = ({ folder }: Pick<Standby, 'folder'>) => ({
  /** Which host it is, and the secret that it is asked with. */
  card: join(folder, 'host.json'), socket: join(folder, 'socket'), said: join(folder, 'said')
})

const cardForm = Type.Object({
  profile: text, fit: text, mark: Type.String({ minLength: 1 }), pid: count, v: Type.Number(), secret: text, place: text
})
export type HostCard = Static<typeof cardForm>

/** Tells the folder of a host from a copy of it, wherever it is moved to. */
export async function placeOf ({ folder }: Pick<Standby, 'folder'>): Promise<string> {
  const { dev, ino } = await stat(folder, { bigint: true })
  return `${dev}:${ino}`
}

/** Null where there is none, or none that can be read. */
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
