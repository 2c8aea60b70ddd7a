import { NotFound } from '../../ground/errors.js'

/** Forges whose interface is supported. Forgejo has that of Gitea. */
export type ForgeKind = 'github' | 'gitlab' | 'gitea'
export const forgeNames: Readonly<Record<ForgeKind, string>> = { github: 'GitHub', gitlab: 'GitLab', gitea: 'Gitea' }

export const mergeMethods = ['merge', 'squash', 'rebase'] as const
export type MergeMethod = typeof mergeMethods[number]

export interface ForgeRepository {
  defaultBranch: string
  /** The methods that the repository allows, the usual one first. */
  methods: MergeMethod[]
}

export interface PullSummary {
  number: number
  title: string
  state: 'open' | 'merged' | 'closed'
  isDraft: boolean
  author: string
  /** The branch that it is to be merged into. */
  base: string
  /** The branch that it comes from. */
  head: string
  /** The latest commit, which a merge would merge. */
  sha: string
  web: string
  createdAtS: number
  updatedAtS: number
}

export interface Pull extends PullSummary {
  body: string
  labels: string[]
  reviewers: string[]
  /** Null: the forge does not know yet. */
  isMergeable: boolean | null
}

export type CheckState = 'pending' | 'passed' | 'failed' | 'skipped'

export interface Check {
  /** For {@link Forge.log}. */
  id: string
  name: string
  state: CheckState
  /** One line, in the words of the check. */
  summary: string
  web: string
  hasLog: boolean
}

export interface Comment { id: string, author: string, isBot: boolean, body: string, atS: number }

/** A comment and its replies. */
export interface Thread {
  id: string
  /** The place in the diff; null for the conversation as a whole. */
  path: string | null
  line: number | null
  /** Null: the thread cannot be resolved. */
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

/** The last part of a log; `isCut`: whether earlier parts are missing. */
export interface LogTail { text: string, isCut: boolean }

/**
 * One repository on a forge, through its REST interface. Texts are as the forge has sent them: the caller has to mask and sanitise them
 * before showing them. Every method throws the errors of {@link ForgeClient}.
 */
export interface Forge {
  repository (): Promise<ForgeRepository>
  /** Returns open ones, the latest first, at most 50. */
  list (): Promise<PullSummary[]>
  /** Returns the open one of a branch, else the latest one that is closed or merged. */
  find (head: NewPull['head']): Promise<PullSummary | null>
  get (number: number): Promise<Pull>
  /** Returns its number, and as sentences what failed besides, such as requesting a reviewer. */
  open (pull: NewPull): Promise<{ number: number, notes: string[] }>
  checks (pull: Pull): Promise<Check[]>
  log (pull: Pull, checkId: string): Promise<LogTail>
  threads (number: number): Promise<Thread[]>
  /** Returns the names of those whose last review approves. */
  approvals (number: number): Promise<string[]>
  /** Comments on the pull request as a whole. */
  comment (number: number, body: string): Promise<void>
  reply (number: number, thread: Thread, body: string): Promise<void>
  resolve (number: number, thread: Thread, isResolved: boolean): Promise<void>
  ready (pull: Pull): Promise<void>
  /** Merges exactly this commit: the forge refuses if the branch has changed. */
  merge (pull: Pull, method: MergeMethod): Promise<void>
  close (number: number): Promise<void>
}

/** Throws NotFound if the item has disappeared since it was listed. */
export function foundIn<T extends { id: string }> (all: readonly T[], id: string, what: 'check' | 'comment'): T {
  const found = all.find((each) => each.id === id)
  if (found === undefined) throw new NotFound(`This ${what} no longer exists. Look again`)
  return found
}
