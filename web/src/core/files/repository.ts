import { batch, computed, signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError, type Api, type Wire } from '../service/api.js'
import { createResource, type Resource } from '../service/resource.js'

export type GitStatus = Extract<Wire<'GitStatus'>, { is_git: true }>
export type GitFile = Wire<'GitFile'>
export type GitBranch = Wire<'GitBranch'>
export type GitCommit = Wire<'GitCommit'>
export type FileDiff = Wire<'GitDiffAnswer'>['diff']
export type DiffKind = 'staged' | 'unstaged'
export type Target = { ref: string, mode: 'local' | 'remote' | 'new', new_branch?: string }
export type Switched = Wire<'GitCheckedOut'> & Partial<Wire<'GitStashCheckedOut'>>

/** A group of changed files; a partly staged file is in two of them. */
export interface ChangeGroup { key: 'conflicts' | 'staged' | 'changes', kind: DiffKind, files: readonly GitFile[] }

function groupsOf ({ files }: Pick<GitStatus, 'files'>): ChangeGroup[] {
  const groups: ChangeGroup[] = [
    { key: 'conflicts', kind: 'unstaged', files: files.filter(({ conflict }) => conflict) },
    { key: 'staged', kind: 'staged', files: files.filter(({ staged, conflict }) => staged && !conflict) },
    { key: 'changes', kind: 'unstaged', files: files.filter(({ unstaged, untracked, conflict }) => (unstaged || untracked) && !conflict) }
  ]
  return groups.filter(({ files }) => files.length > 0)
}

/** `undo` restores the discarded changes; null if that is impossible. */
export interface Discarded { undo: (() => Promise<void>) | null }

const pageSize = 20
const mostCommits = 200
/** How many files at most are read before a discard, so that it can be undone. */
const mostKept = 20

/** The git state of a session's folder, and operations on it. Those that change it throw ApiError. */
export class Repository {
  readonly #status = signal<GitStatus | null>(null)
  readonly #presence = signal<'unknown' | 'none' | 'here'>('unknown')
  readonly error = signal<ApiError | null>(null)
  /** Whether the service or the session forbids changes; known once one was refused. */
  readonly #readOnly = signal(false)
  /** The running operation, by the last part of its path; one at a time. */
  readonly doing = signal<string | null>(null)
  readonly selected = signal<ReadonlySet<string>>(new Set())
  /** The paths that `offer` has selected and that are still changed. */
  readonly #offered = new Set<string>()
  readonly log: Resource<{ commits: readonly GitCommit[], hasMore: boolean }>
  readonly stashes: Resource<Wire<'GitStashesAnswer'>['stashes']>
  readonly branches: Resource<Wire<'GitBranches'>>
  #limit = pageSize
  #looking: Promise<void> | null = null
  #isWanted = false

  constructor (readonly api: Api, readonly sessionId: string) {
    const query = { session_id: sessionId }
    this.log = createResource<{ commits: readonly GitCommit[], hasMore: boolean }>(async () => {
      const { commits, next_offset: next } = await api.get('/api/git/log', { ...query, limit: String(this.#limit) })
      return { commits, hasMore: next !== null && this.#limit < mostCommits }
    })
    this.stashes = createResource(async () => (await api.get('/api/git/stashes', query)).stashes)
    this.branches = createResource(async () => (await api.get('/api/git/branches', query)).branches)
  }

  /** Null until it is loaded, and if there is no repository. */
  get status (): ReadonlySignal<GitStatus | null> { return this.#status }
  get presence (): ReadonlySignal<'unknown' | 'none' | 'here'> { return this.#presence }
  get readOnly (): ReadonlySignal<boolean> { return this.#readOnly }
  readonly groups = computed(() => this.#status.value === null ? [] : groupsOf(this.#status.value))

  /** The letter of each changed path. */
  readonly marks: ReadonlySignal<ReadonlyMap<string, string>> = computed(() => new Map(
    (this.#status.value?.files ?? []).map((file) => [file.workspace_path, file.untracked ? 'N' : file.conflict ? 'U' : file.status])
  ))

  /** What would be committed: the selected files, else the staged ones. */
  readonly toCommit = computed(() => this.selected.value.size > 0
    ? { what: 'selected' as const, count: this.selected.value.size }
    : { what: 'staged' as const, count: this.#status.value?.totals.staged ?? 0 })

  /** Reads the changes, and rereads the log and lists that are shown; once for all callers. Never throws: the error is a state. */
  async look (): Promise<void> {
    this.#isWanted = true
    this.#looking ??= this.#run()
    await this.#looking
  }

  async #run (): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false
      try {
        const { git } = await this.api.get('/api/git/status', { session_id: this.sessionId })
        // The answer of a running operation brings a later state.
        if (this.doing.peek() === null) this.#take(git)
        this.error.value = null
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        this.error.value = error
      }
    }
    this.#looking = null
    for (const seen of [this.log, this.stashes, this.branches]) if (seen.value.peek() !== undefined) void seen.refresh()
  }

  #take (status: Wire<'GitStatus'> | null): void {
    if (status === null) return
    batch(() => {
      this.#presence.value = status.is_git ? 'here' : 'none'
      this.#status.value = status.is_git ? status : null
      const paths = new Set(status.is_git ? status.files.map(({ path }) => path) : [])
      if ([...this.selected.peek()].some((path) => !paths.has(path))) {
        this.selected.value = new Set([...this.selected.peek()].filter((path) => paths.has(path)))
      }
      for (const path of this.#offered) if (!paths.has(path)) this.#offered.delete(path)
    })
  }

  /** Selects newly changed files. One that is deselected afterwards stays deselected. */
  offer (paths: readonly string[]): void {
    const fresh = paths.filter((path) => !this.#offered.has(path))
    if (fresh.length === 0) return
    for (const path of fresh) this.#offered.add(path)
    this.selected.value = new Set([...this.selected.peek(), ...fresh])
  }

  /** Deselects every file. */
  deselect (): void {
    this.selected.value = new Set()
  }

  select (path: string, isSelected: boolean): void {
    const next = new Set(this.selected.peek())
    if (isSelected) next.add(path)
    else next.delete(path)
    this.selected.value = next
  }

  async diff (path: string, kind: DiffKind): Promise<FileDiff> {
    return (await this.api.get('/api/git/diff', { session_id: this.sessionId, path, kind })).diff
  }

  async show (sha: string): Promise<Wire<'GitShowAnswer'>> {
    return await this.api.get('/api/git/show', { session_id: this.sessionId, ref: sha })
  }

  async moreCommits (): Promise<void> {
    this.#limit = Math.min(mostCommits, this.#limit + pageSize)
    await this.log.refresh()
  }

  async stage (paths: readonly string[]): Promise<void> {
    await this.#act('stage', async () => await this.api.post('/api/git/stage', { session_id: this.sessionId, paths: [...paths] }))
  }

  async unstage (paths: readonly string[]): Promise<void> {
    await this.#act('unstage', async () => await this.api.post('/api/git/unstage', { session_id: this.sessionId, paths: [...paths] }))
  }

  /** Commits the selected or staged files. Returns the commit's id. */
  async commit (message: string): Promise<string> {
    const paths = [...this.selected.peek()]
    const { commit } = await this.#act('commit', async () => paths.length > 0
      ? await this.api.post('/api/git/commit-selected', { session_id: this.sessionId, message, paths })
      : await this.api.post('/api/git/commit', { session_id: this.sessionId, message }))
    this.selected.value = new Set()
    return commit
  }

  /** Commits these files as they are, regardless of what is selected or staged. Returns the commit's id. */
  async commitFiles (message: string, files: readonly GitFile[]): Promise<string> {
    return (await this.#act('commit', async () => await this.api.post('/api/git/commit-selected', {
      session_id: this.sessionId, message, paths: files.map(({ path }) => path)
    }))).commit
  }

  /** Has a commit message written for these files. */
  async writeMessageFor (files: readonly GitFile[]): Promise<Wire<'GitMessageAnswer'>> {
    return await this.api.post('/api/git/commit-message-selected', { session_id: this.sessionId, paths: files.map(({ path }) => path) })
  }

  /** Has a message written for what would be committed. This may take the model a while; nothing else waits for it. */
  async writeMessage (): Promise<Wire<'GitMessageAnswer'>> {
    const paths = [...this.selected.peek()]
    return paths.length > 0
      ? await this.api.post('/api/git/commit-message-selected', { session_id: this.sessionId, paths })
      : await this.api.post('/api/git/commit-message', { session_id: this.sessionId })
  }

  /** Runs an operation on the remote. Returns its output. */
  async talk (action: 'fetch' | 'pull' | 'push'): Promise<string> {
    return (await this.#act(action, async () => await this.api.post(`/api/git/${action}`, { session_id: this.sessionId }))).message
  }

  /** Switches to a branch. `stash` stashes changes first; without it, changes that block the switch are a 409 `dirty_worktree`. */
  async switchTo (target: Target, { stash }: { stash: boolean }): Promise<Switched> {
    // Even with nothing to stash, the `stash` call is used: it restores what was stashed on that branch before.
    const isReturn = this.#status.peek()?.totals.changed === 0 && target.mode === 'local'
    const body = { session_id: this.sessionId, ...target }
    return await this.#act('checkout', async () => stash || isReturn
      ? await this.api.post('/api/git/stash-checkout', body)
      : await this.api.post('/api/git/checkout', { ...body, dirty_mode: 'block' }))
  }

  /** Reads the files, so that discarding them can be undone; returns null if one of them could not be restored. */
  async prepareDiscard (files: readonly GitFile[]): Promise<ReadonlyArray<Kept> | null> {
    if (files.length > mostKept || files.some(({ conflict, binary }) => conflict || binary)) return null
    const kept = await Promise.all(files.map(async (file) => await this.#keep(file)))
    return kept.every((one) => one !== null) ? kept : null
  }

  async #keep ({ workspace_path: path, untracked, old_path: old, status }: GitFile): Promise<Kept | null> {
    if (untracked) return path.endsWith('/') ? null : { path, how: 'trash' }
    if (old !== null || status !== 'M') return null
    try {
      const {
        content, is_binary: isBinary, is_lossy: isLossy, preview
      } = await this.api.get('/api/file', { session_id: this.sessionId, path })
      return isBinary || isLossy || preview !== null ? null : { path, how: 'text', content }
    } catch (error) {
      if (error instanceof ApiError) return null
      throw error
    }
  }

  /** Discards changes. With the copies from `prepareDiscard`, this can be undone. */
  async discard (files: readonly GitFile[], kept: readonly Kept[] | null): Promise<Discarded> {
    const trashed = new Set(kept?.filter(({ how }) => how === 'trash').map(({ path }) => path) ?? [])
    const undos: Array<() => Promise<unknown>> = []
    await this.#act('discard', async () => {
      const rest = files.filter(({ workspace_path: path }) => !trashed.has(path))
      const answer = rest.length === 0
        ? null
        : await this.api.post('/api/git/discard', {
          session_id: this.sessionId, paths: rest.map(({ path }) => path), delete_untracked: rest.some(({ untracked }) => untracked)
        })
      for (const path of trashed) undos.push(await this.#trash(path))
      return trashed.size > 0 ? null : answer
    })
    if (kept === null) return { undo: null }
    for (const one of kept) if (one.how === 'text') undos.push(await this.#rewriter(one))
    return {
      undo: async () => {
        try {
          for (const undo of undos) await undo()
        } finally {
          await this.look()
        }
      }
    }
  }

  async #trash (path: string): Promise<() => Promise<unknown>> {
    const { trash_id: id } = await this.api.post('/api/file/delete', { session_id: this.sessionId, path })
    return async () => { if (id !== null) await this.api.post('/api/trash/restore', { session_id: this.sessionId, id }) }
  }

  /** Restores a text only if the file is still as discarded, so that later changes stay. */
  async #rewriter ({ path, content }: Kept & { how: 'text' }): Promise<() => Promise<unknown>> {
    const { version } = await this.api.get('/api/file', { session_id: this.sessionId, path })
    return async () => await this.api.post('/api/file/save', { session_id: this.sessionId, path, content, if_match: version })
  }

  async #act<Answer extends object | null> (action: string, work: () => Promise<Answer>): Promise<Answer> {
    this.doing.value = action
    let isKnown = false
    try {
      const answer = await work()
      const next = answer === null ? null : 'git' in answer ? answer.git : 'status' in answer ? answer.status : null
      if (next !== null && typeof next === 'object') {
        this.#take(next as Wire<'GitStatus'>)
        isKnown = true
      }
      return answer
    } catch (error) {
      if (error instanceof ApiError && error.code === 'destructive_git_disabled') this.#readOnly.value = true
      throw error
    } finally {
      this.doing.value = null
      if (isKnown) for (const seen of [this.log, this.stashes, this.branches]) if (seen.value.peek() !== undefined) void seen.refresh()
      if (!isKnown) void this.look()
    }
  }
}

/** A file before it is discarded, with the means to restore it. */
export type Kept = { path: string, how: 'trash' } | { path: string, how: 'text', content: string }
