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

/** Something of the operator's that has changed. The entry only names it: its present state is read when a reader is told. */
export type Change =
  | { kind: 'session', id: string }
  /** Any row may have changed. */
  | { kind: 'list' }
  | { kind: 'prompts', id: string, of: PromptKind }
  | { kind: 'settings' }
  /** Another machine has joined, gone, or come back. */
  | { kind: 'hosts' }
  /** The profile of this name: the content of its files has changed, or it was added or removed. */
  | { kind: 'profile', id: string }
  /** A person has looked at the events of a profile, or one of its turns has fallen silent or resumed. */
  | { kind: 'home', id: string }
  /** The counts of a profile have changed. */
  | { kind: 'counts', id: string }
  /** The content of a document of a profile's memory has changed. */
  | { kind: 'memory', profile: string, section: MemorySection }
  /** Sent once: it is an event, not a state. */
  | { kind: 'notice', event: string, text: string }

export interface FeedOptions {
  events: EventBroker & Published
  sessions: {
    pages: { page (flags: PageFlags, limit: number): { body: Buffer }, row (flags: PageFlags, id: string): string | null }
    version (): number
  }
  prompts: {
    /** Returns the prompts that wait in a session, first one first; null if the session is gone. */
    waiting (sessionId: string, kind: PromptKind, reader: Reader): SessionPrompts | null
    allOpen (reader: Reader): OpenPrompt[]
  }
  settings: () => Readonly<Static<typeof StoredSettings>>
  /** The keys of settings that have been saved. */
  savedSettings: () => string[]
  /** Returns the state of a profile's config.yaml; undefined if the profile does not exist. */
  configState: (profile: string) => ConfigState | undefined
  /** Returns when a document of a profile's memory was written; null if it does not exist. */
  memoryTime: (profile: string, section: MemorySection) => number | null
  /** Returns when a person last looked at the events of a profile; null if never. */
  seenAt: (profile: string) => number | null
  /** Returns the counts of a profile. */
  counts: (profile: string) => HomeCounts
  /** Returns the other machines, and whether they are connected. */
  machines: () => Array<Static<typeof feedFrames.hosts>['hosts'][number]>
  /** Returns the rows of other programs' sessions, as lists show them. */
  foreign: () => SessionWire[]
  /** Returns the session of a turn; null if there is no such turn, or its frames are gone. */
  sessionOf: (streamId: string) => string | null
  conversations: {
    /** Whether a session exists that a reader of this profile may see, of this service or another program. */
    has (sessionId: string, profile: string): boolean
    /** Returns the first frame of a session's stream. */
    opening (sessionId: string): NewFrame
    /** Returns the latest turns of a session. */
    turns (sessionId: string): Array<{ streamId: string, isActive: boolean }>
  }
  /** Watches a folder of a session. Throws if it does not exist. */
  watchFolder: (folder: FolderRef) => Promise<Subscription>
}

export type HomeCounts = Static<typeof feedFrames.counts>['counts']

/** Why a config.yaml cannot be read, and its problems. */
export type ConfigState = Pick<ProfileSettings, 'configError' | 'configProblems'>

export interface SessionPrompts { title: string, profile: string, prompts: PendingPrompt[] }

export interface FeedRequest {
  /** What the list shows. */
  flags: PageFlags
  /** The number of list rows in a snapshot. */
  limit: number
  /** Turns, each with the seq from which on its frames are wanted, where the cursor does not say. */
  follow: Array<{ streamId: string, afterSeq: number }>
  folders: FolderRef[]
  /** Sessions to follow: their own streams, and all their turns. */
  sessions: string[]
  /** Decides how prompts and typed text are shown to this reader. */
  reader: Reader & StreamOnlooker
  cursor: string | null
}

/** Stands for the operator's topic as a whole, when it is checked whether anyone watches it. */
export const feedTopic: Topic = { kind: 'feed', id: 'all' }

/** Wakes the topic's readers; it is sent to none of them. */
export const nudge: NewFrame = { event: 'changed', data: '{}' }

/** What readers read from. */
export interface FeedSource {
  /** Sequence numbers of another process are meaningless here. */
  readonly epoch: string
  readonly changes: Ring<Change>
  readonly beginnings: Beginnings
  readonly options: FeedOptions
}
