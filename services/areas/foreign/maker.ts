import { type AgentPresetId } from '../../providers/index.js'
import { type Reader } from './facts.js'
import { type Store } from './store.js'
import { type ForeignRow } from './tally.js'

/** A front end whose conversations are kept on this machine, and can be gone on with by the agent of the same maker. */
export interface Maker {
  source: ForeignRow['source']
  /** For people. */
  name: string
  preset: AgentPresetId
  /** Tells its sessions from those of another front end that have the same id. */
  suffix: string
  /** Where its conversations lie, below the home. */
  root: string
  /** `limit`: no more than so many are read, the newest. */
  store (root: string, limit: number): Store
  reader (): Reader
  /** What a session is called here, by the name of its file, where its entries do not say. */
  idOf (name: string): string
  /** The id that a conversation has in its own front end. Rejects, or resolves with anything, when it cannot be read. */
  nativeId (path: string): Promise<string>
  /** What such an id looks like. */
  id: RegExp
  /** Why its agent would not find the conversation from this folder, as a sentence without a dot; null: it does. */
  outOfPlace? (row: Pick<ForeignRow, 'path' | 'workspace'>, folder: string): string | null
  /** Why it cannot be gone on with at this moment; null: it can. */
  notNow? (path: string, nowMs: number): string | null
}

export const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
export const elsewhere = 'It was begun in another folder than the one it worked in'
