import { batch, signal, type ReadonlySignal } from '@preact/signals-core'
import { type ApiError, type Wire } from '../service/api.js'
import { factsOf, todosOf, type OpenState, type SessionFacts } from './conversation-state.js'
import { isEqual } from '../service/records.js'

/** The facts of one session as the service reported them. An equal report changes no signal. */
export class KnownSession {
  readonly #facts = signal<SessionFacts | null>(null)
  readonly #state = signal<OpenState>('new')
  readonly #problem = signal<ApiError | null>(null)
  readonly #todos = signal<Wire<'TodoState'> | null>(null)
  readonly #usage = signal<Wire<'TurnUsage'> | null>(null)

  get facts (): ReadonlySignal<SessionFacts | null> { return this.#facts }
  get state (): ReadonlySignal<OpenState> { return this.#state }
  get problem (): ReadonlySignal<ApiError | null> { return this.#problem }
  get todos (): ReadonlySignal<Wire<'TodoState'> | null> { return this.#todos }
  get usage (): ReadonlySignal<Wire<'TurnUsage'> | null> { return this.#usage }

  /** Marks the session as being read; the known facts stay. */
  open (): void {
    if (this.#facts.peek() === null) this.#state.value = 'loading'
  }

  take (detail: Wire<'SessionDetail'>): void {
    batch(() => {
      this.#set(factsOf(detail))
      this.#todos.value = todosOf(detail.todo_state)
      this.#problem.value = null
      this.#state.value = 'ready'
    })
  }

  know (facts: Partial<SessionFacts>): void {
    const before = this.#facts.peek()
    if (before !== null) this.#set({ ...before, ...facts })
  }

  /** Notes why the session could not be read; null: code that shows it is missing. */
  fail (error: ApiError | null): void {
    batch(() => {
      this.#problem.value = error
      if (this.#facts.peek() === null || error?.status === 404) this.#state.value = 'failed'
    })
  }

  plan (todos: Wire<'TodoState'>): void { this.#todos.value = todos }
  use (usage: Wire<'TurnUsage'>): void { this.#usage.value = usage }

  #set (facts: SessionFacts): void {
    if (!isEqual(this.#facts.peek(), facts)) this.#facts.value = facts
  }
}
