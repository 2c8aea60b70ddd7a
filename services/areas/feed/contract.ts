import { type Static } from '@sinclair/typebox'
import { type feedFrames } from '../../../schemas/feed.js'
import { type StoredSettings } from '../../../schemas/settings.js'
import {
  type EventBroker, type NewFrame, type Published, type StreamOnlooker, type Subscription, type Topic
} from '../../ground/events/index.js'
import { type ProfileSettings } from '../profiles/index.js'
import { type OpenPrompt, type PendingPrompt, type PromptKind, type Reader } from '../prompts/index.js'
import { type Section as MemorySection } from '../memory/index.js'
import { type PageFlags, type SessionWire } from '../sessions/index.js'
import { type Beginnings } from './beginnings.js'
import { type FolderRef } from './folders.js'
import { type Ring } from './ring.js'

/** Something of the operator's that is another now. Rows are read when a reader is told: the entry only names them. */
export type Change =
  | { kind: 'session', id: string }
  /** Any row may be another one. */
  | { kind: 'list' }
  | { kind: 'prompts', id: string, of: PromptKind }
  | { kind: 'settings' }
  /** Another machine has joined, gone, or come back. */
  | { kind: 'hosts' }
  /** Of this name: its files say something else, or it came or went. */
  | { kind: 'profile', id: string }
  /** Somebody has looked at what happened in a profile, or one of its turns has fallen silent or speaks again. */
  | { kind: 'home', id: string }
  /** What happens in a profile has other numbers. */
  | { kind: 'counts', id: string }
  /** A document of a profile's memory says something else. */
  | { kind: 'memory', profile: string, section: MemorySection }
  /** Said once; it is no state. */
  | { kind: 'notice', event: string, text: string }

export interface FeedOptions {
  events: EventBroker & Published
  sessions: {
    pages: { page (flags: PageFlags, limit: number): { body: Buffer }, row (flags: PageFlags, id: string): string | null }
    version (): number
  }
  prompts: {
    /** What waits in a session, the first in front; null when the session is gone. */
    waiting (sessionId: string, kind: PromptKind, reader: Reader): SessionPrompts | null
    allOpen (reader: Reader): OpenPrompt[]
  }
  settings: () => Readonly<Static<typeof StoredSettings>>
  /** Those of them that somebody has saved. */
  savedSettings: () => string[]
  /** How a profile's config.yaml is; undefined when there is no such profile. */
  configState: (profile: string) => ConfigState | undefined
  /** When a document of a profile's memory was written; null where there is none. */
  memoryTime: (profile: string, section: MemorySection) => number | null
  /** When somebody last looked at what happened in a profile; null: nobody has. */
  seenAt: (profile: string) => number | null
  /** What happens in a profile, in numbers. */
  counts: (profile: string) => HomeCounts
  /** Other machines, and whether they are there. */
  hosts: () => Array<Static<typeof feedFrames.hosts>['hosts'][number]>
  /** Rows of other front ends' sessions, as lists show them. */
  foreign: () => SessionWire[]
  /** The session of a turn; null when there is no such turn, or none of its frames any more. */
  sessionOf: (streamId: string) => string | null
  conversations: {
    /** There is such a session that a reader of this profile may have, ours or another front end's. */
    has (sessionId: string, profile: string): boolean
    /** What stands first on the stream of a session. */
    opening (sessionId: string): NewFrame
    /** Its turns that began last. */
    turns (sessionId: string): Array<{ streamId: string, isActive: boolean }>
  }
  /** Watches a folder of a session. Throws for one that there is not. */
  watchFolder: (folder: FolderRef) => Promise<Subscription>
}

export type HomeCounts = Static<typeof feedFrames.counts>['counts']

/** Why a config.yaml cannot be read, and what in it is not in order. */
export type ConfigState = Pick<ProfileSettings, 'configError' | 'configProblems'>

export interface SessionPrompts { title: string, profile: string, prompts: PendingPrompt[] }

export interface FeedRequest {
  /** What the list shows. */
  flags: PageFlags
  /** Rows of the list that a snapshot has. */
  limit: number
  /** Turns, each with the seq from which on its frames are wanted, where the cursor does not say. */
  follow: Array<{ streamId: string, afterSeq: number }>
  folders: FolderRef[]
  /** Sessions whose own streams are wanted, and every turn of theirs. */
  sessions: string[]
  /** How prompts, and what was typed, are shown to it. */
  reader: Reader & StreamOnlooker
  cursor: string | null
}

/** Of the operator's topic as a whole, whoever asks whether somebody looks. */
export const feedTopic: Topic = { kind: 'feed', id: 'all' }

/** Wakes those that read it; no reader is sent it. */
export const nudge: NewFrame = { event: 'changed', data: '{}' }

/** What readers read from. */
export interface FeedSource {
  /** Numbers of another process mean nothing here. */
  readonly epoch: string
  readonly changes: Ring<Change>
  readonly beginnings: Beginnings
  readonly options: FeedOptions
}
