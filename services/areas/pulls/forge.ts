import { NotFound } from '../../ground/errors.js'

/** The makers of forges whose interface is known. Forgejo's is Gitea's. */
export type ForgeKind = 'github' | 'gitlab' | 'gitea'
export const forgeNames: Readonly<Record<ForgeKind, string>> = { github: 'GitHub', gitlab: 'GitLab', gitea: 'Gitea' }

export const mergeMethods = ['merge', 'squash', 'rebase'] as const
export type MergeMethod = typeof mergeMethods[number]

export interface ForgeRepository {
  defaultBranch: string
  /** What the repository allows, the usual one first. */
  methods: MergeMethod[]
}

export interface PullSummary {
  number: number
  title: string
  state: 'open' | 'merged' | 'closed'
  isDraft: boolean
  author: string
  /** Branch that it is to be merged into. */
  base: string
  /** Branch that it comes from. */
  head: string
  /** The latest commit: what is merged when it is merged. */
  sha: string
  web: string
  createdAtS: number
  updatedAtS: number
}

export interface Pull extends PullSummary {
  body: string
  labels: string[]
  reviewers: string[]
  /** Null: the forge has not found out yet. */
  isMergeable: boolean | null
}

export type CheckState = 'pending' | 'passed' | 'failed' | 'skipped'

export interface Check {
  /** For {@link Forge.log}. */
  id: string
  name: string
  state: CheckState
  /** In one line, as the check says it. */
  summary: string
  web: string
  hasLog: boolean
}

export interface Comment { id: string, author: string, isBot: boolean, body: string, atS: number }

/** Comments that answer each other. */
export interface Thread {
  id: string
  /** Where in the difference; null for the conversation as a whole. */
  path: string | null
  line: number | null
  /** Null: it is no question that could be resolved. */
  isResolved: boolean | null
  canReply: boolean
  comments: Comment[]
}

export interface NewPull {
  title: string
  body: string
  base: string
  /** The branch, and the repository that it was pushed to. */
  head: { branch: string, repository: string }
  isDraft: boolean
  reviewers: readonly string[]
  labels: readonly string[]
}

/** The last part of a log; `isCut`: there is more before it. */
export interface LogTail { text: string, isCut: boolean }

/**
 * One repository on a forge, by its REST interface. Texts are as the forge has sent them: masked and made harmless by whoever shows
 * them. Everything throws what {@link ForgeClient} throws.
 */
export interface Forge {
  repository (): Promise<ForgeRepository>
  /** Open ones, the latest first, at most 50. */
  list (): Promise<PullSummary[]>
  /** The open one of a branch, else the latest one that is closed or merged. */
  find (head: NewPull['head']): Promise<PullSummary | null>
  get (number: number): Promise<Pull>
  /** Answers its number, and what could not be done beside opening it, such as asking a reviewer, as sentences. */
  open (pull: NewPull): Promise<{ number: number, notes: string[] }>
  checks (pull: Pull): Promise<Check[]>
  log (pull: Pull, checkId: string): Promise<LogTail>
  threads (number: number): Promise<Thread[]>
  /** Names of those who approve of it, as they said last. */
  approvals (number: number): Promise<string[]>
  /** A comment on the whole. */
  comment (number: number, body: string): Promise<void>
  reply (number: number, thread: Thread, body: string): Promise<void>
  resolve (number: number, thread: Thread, isResolved: boolean): Promise<void>
  ready (pull: Pull): Promise<void>
  /** Merges exactly this commit: refused by the forge when the branch has moved on. */
  merge (pull: Pull, method: MergeMethod): Promise<void>
  close (number: number): Promise<void>
}

/** Throws NotFound for what was there when somebody looked, and is no more. */
export function foundIn<T extends { id: string }> (all: readonly T[], id: string, what: 'check' | 'comment'): T {
  const found = all.find((each) => each.id === id)
  if (found === undefined) throw new NotFound(`This ${what} is not there any more. Look again`)
  return found
}
