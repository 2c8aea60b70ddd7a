import { signal, type ReadonlySignal } from '@preact/signals'
import { type Api, type ApiError, type Wire } from '../../core/service/api.js'
import { createResource, type Resource } from '../../core/service/resource.js'

export type PullAnswer = Wire<'PullAnswer'>
export type Pull = Wire<'Pull'>
export type PullCheck = Wire<'PullCheck'>
export type PullThread = Wire<'PullThread'>
export type MergeMethod = NonNullable<PullAnswer['repository']>['methods'][number]

/** How long after a refusal the pull request is read again, unless the service says otherwise. */
const afterRefusalMs = 60_000

/** The pull request of a session's branch. While a view attends to it, it is read as often as the service says. */
export class PullRequests {
  readonly state: Resource<PullAnswer>
  /** Whether the form of a new one is open. */
  readonly isWriting = signal(false)
  readonly #attended = signal(0)
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor (readonly api: Api, readonly sessionId: string) {
    this.state = createResource(async () => await api.get('/api/pulls/show', { session_id: sessionId }))
  }

  get error (): ReadonlySignal<ApiError | null> { return this.state.error }

  /** Reads the pull request now, and repeatedly until the returned function is called. */
  attend (): () => void {
    this.#attended.value++
    const look = (): void => { void this.look() }
    document.addEventListener('visibilitychange', look)
    look()
    return () => {
      document.removeEventListener('visibilitychange', look)
      if (--this.#attended.value === 0) this.#stop()
    }
  }

  /** Reads the pull request if the page is visible. Never throws: the error is a state. */
  async look (): Promise<void> {
    this.#stop()
    if (document.visibilityState !== 'visible') return
    await this.state.refresh()
    this.#stop()
    if (this.#attended.peek() === 0) return
    const seconds = this.state.error.peek() === null ? this.state.value.peek()?.next_look_s : undefined
    this.#timer = setTimeout(() => { void this.look() }, seconds === undefined ? afterRefusalMs : seconds * 1_000)
  }

  async log (number: number, check: string): Promise<Wire<'PullLogAnswer'>> {
    return await this.api.get('/api/pulls/log', { session_id: this.sessionId, number: String(number), check })
  }

  async draft (): Promise<Wire<'PullDraftAnswer'>> {
    return await this.api.post('/api/pulls/draft', { session_id: this.sessionId })
  }

  async open (pull: {
    title: string, body: string, base: string, draft: boolean, reviewers: string[], labels: string[]
  }): Promise<Wire<'PullOpened'>> {
    return await this.#act(async () => await this.api.post('/api/pulls/open', { session_id: this.sessionId, ...pull }))
  }

  async mend (number: number, { checks = [], threads = [] }: { checks?: string[], threads?: string[] }): Promise<void> {
    await this.api.post('/api/pulls/mend', {
      session_id: this.sessionId, number, checks: checks.slice(0, 5), threads, client_id: crypto.randomUUID()
    })
  }

  async comment (number: number, thread: string | null, body: string): Promise<void> {
    await this.#act(async () => await this.api.post('/api/pulls/comment', { session_id: this.sessionId, number, thread, body }))
  }

  async resolve (number: number, thread: string, resolved: boolean): Promise<void> {
    await this.#act(async () => await this.api.post('/api/pulls/resolve', { session_id: this.sessionId, number, thread, resolved }))
  }

  async ready (number: number): Promise<void> {
    await this.#act(async () => await this.api.post('/api/pulls/ready', { session_id: this.sessionId, number }))
  }

  async merge ({ number, sha }: Pick<Pull, 'number' | 'sha'>, method: MergeMethod): Promise<void> {
    await this.#act(async () => await this.api.post('/api/pulls/merge', { session_id: this.sessionId, number, sha, method }))
  }

  async close (number: number): Promise<void> {
    await this.#act(async () => await this.api.post('/api/pulls/close', { session_id: this.sessionId, number }))
  }

  /** Stores a server and its token. */
  async connect (forge: { host: string, kind: 'github' | 'gitlab' | 'gitea', url: string, token: string }): Promise<void> {
    await this.#act(async () => await this.api.post('/api/forges', forge))
  }

  /** Reads the pull request after an operation, even a refused one: what was shown may be out of date. */
  async #act<Answer> (work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work()
    } finally {
      await this.look()
    }
  }

  #stop (): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }
}
