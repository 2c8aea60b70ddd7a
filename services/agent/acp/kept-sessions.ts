import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { createQueue } from '../../ground/concurrency/queue.js'
import { fieldsOf } from '../../ground/fields.js'
import { replaceFile } from '../../ground/home/home-file.js'
import { type ModelMessage } from '../protocol.js'
import { agentsFolder, readJson } from './offer.js'

const form = Type.Object({
  agent: Type.String(),
  target: Type.String(),
  /** The agent's own id of its session, and the folder that it was opened for. */
  session: Type.String(),
  folder: Type.String(),
  /** How many turns it was given, and whether the last of them has not ended. */
  turn: Type.Integer({ minimum: 0 }),
  isOpen: Type.Boolean()
})

/** The session of an agent in which a conversation continues. */
export type KeptSession = Static<typeof form>

const longestFile = 64 * 1024
const queue = createQueue()
/** The session ids are the service's own. */
const fileOf = (profileHome: string, sessionId: string): string =>
  join(agentsFolder(profileHome), `session-${sessionId.replaceAll(/[^\w-]/g, '_')}.json`)

export function readSession (profileHome: string, sessionId: string): KeptSession | null {
  const found = readJson(fileOf(profileHome, sessionId), longestFile)
  return Value.Check(form, found) ? found : null
}

/** Forgets the session of a conversation that was deleted. */
export function forgetAgentSession (profileHome: string, sessionId: string): void {
  rmSync(fileOf(profileHome, sessionId), { force: true })
}

/** Stores a session. Never rejects: without it the next turn opens a new session and tells the agent what was said before. */
export async function keepSession (profileHome: string, sessionId: string, kept: KeptSession): Promise<void> {
  const path = fileOf(profileHome, sessionId)
  await queue(path, async () => { await replaceFile(path, JSON.stringify(kept), { mode: 0o600, home: profileHome }) }).catch(() => {})
}

/** Attached to the last message of an agent's turn; says how far the agent's own session had come by then. */
export interface Marker { agent: string, session: string, turn: number }

export function marked (message: ModelMessage, marker: Marker): ModelMessage {
  return { ...message, providerOptions: { acp: { ...marker } } }
}

/** Returns the last marker of a conversation and the index of its message. */
export function lastMarker (history: readonly ModelMessage[], agent: string): Marker & { index: number } | null {
  for (const [index, { providerOptions }] of [...history.entries()].toReversed()) {
    const { agent: of, session, turn } = fieldsOf(providerOptions?.['acp'])
    if (of === agent && typeof session === 'string' && typeof turn === 'number') return { agent, session, turn, index }
  }
  return null
}

/**
 * Whether the agent's session holds exactly what the conversation holds up to the marker. After an edit, or in a copy of the conversation,
 * it holds something else. A turn that was interrupted left no marker, and counts as said.
 */
export function stillHolds (kept: KeptSession, marker: Marker | null): boolean {
  if (marker === null) return kept.isOpen && kept.turn === 1
  return marker.session === kept.session && (marker.turn === kept.turn || (kept.isOpen && marker.turn === kept.turn - 1))
}
