import { type AgentPresetId } from '../../providers/index.js'
import { type Reader } from './facts.js'
import { type Store } from './store.js'
import { type ForeignRow } from './tally.js'

/** A front end whose conversations are kept on this machine, and which the agent of the same maker can continue. */
export interface Maker {
  source: ForeignRow['source']
  /** Its name for people. */
  name: string
  preset: AgentPresetId
  /** Distinguishes its sessions from those of another front end with the same id. */
  suffix: string
  /** The folder of its conversations, below the home. */
  root: string
  /** `limit`: the most that are read, newest first. */
  store (root: string, limit: number): Store
  reader (): Reader
  /** Returns the id of a session here, derived from its file name, if its entries do not say. */
  idOf (name: string): string
  /** Returns the id of a conversation in its own front end. Rejects, or resolves with any text, if it cannot be read. */
  nativeId (path: string): Promise<string>
  /** The form of such an id. */
  id: RegExp
  /** Returns why its agent would not find the conversation from this folder, as a sentence without a full stop; null if it would. */
  outOfPlace? (row: Pick<ForeignRow, 'path' | 'workspace'>, folder: string): string | null
  /** Returns why it cannot be continued at this moment; null if it can. */
  notNow? (path: string, nowMs: number): string | null
}

export const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
export const elsewhere = 'It began in a different folder from the one in which it worked'
