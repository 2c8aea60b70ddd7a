import { computed, signal, type ReadonlySignal } from '@preact/signals-core'
import { type Api, type Wire } from '../service/api.js'

type Answer = Wire<'Plan'>
export type PlanDocument = NonNullable<Answer['plan']>

/** The path that comments on the plan have, in place of a file's. */
export const planPath = 'plan:plan.md'

/** A part of the plan that is drawn, and can be commented on, separately. Lines count from 1. */
export interface PlanBlock { line: number, endLine: number, text: string }

/** The plan of a session as the service has it, the same for all devices. Failures throw ApiError. */
export class Plan {
  readonly #state = signal<Answer | null>(null)
  readonly document: ReadonlySignal<PlanDocument | null> = computed(() => this.#state.value?.plan ?? null)
  /** Whether the service has answered. */
  readonly isKnown: ReadonlySignal<boolean> = computed(() => this.#state.value !== null)
  /** The person's edit, and the version that it replaces; null if there is none. */
  readonly edit = signal<{ text: string, version: number } | null>(null)

  constructor (private readonly api: Api, readonly sessionId: string) {}

  async read (): Promise<void> {
    this.#take(await this.api.get('/api/session/plan', { session_id: this.sessionId }))
  }

  /** Begins an edit of the current text. */
  begin (): void {
    const plan = this.document.peek()
    this.edit.value = { text: plan?.text ?? '', version: plan?.version ?? 0 }
  }

  /** Saves the edit. After a 409 the text stays, to be applied to the version that is current then. */
  async save (): Promise<void> {
    const writing = this.edit.peek()
    if (writing === null) return
    this.#take(await this.api.postOnce('/api/session/plan', { session_id: this.sessionId, ...writing }))
    this.edit.value = null
  }

  /** Bases the edit on the current version, which the person has been told about. */
  async rebase (): Promise<void> {
    await this.read()
    const writing = this.edit.peek()
    if (writing !== null) this.edit.value = { ...writing, version: this.document.peek()?.version ?? 0 }
  }

  /** Leaves plan mode and makes the plan the goal. */
  async go (): Promise<void> {
    await this.api.postOnce('/api/session/plan/go', { session_id: this.sessionId, version: this.document.peek()?.version ?? 0 })
    await this.read()
  }

  /** Ignores an older version, because answers may overtake each other. */
  #take (answer: Answer): void {
    if ((answer.plan?.version ?? 0) >= (this.document.peek()?.version ?? 0)) this.#state.value = answer
  }
}

const fence = /^\s{0,3}(```+|~~~+)/
const item = /^\s*(?:[-*+]|\d{1,4}[.)])\s/

/** Returns the blocks of a plan: each list item is a block of its own; code and tables stay whole. */
export function planBlocks (text: string): PlanBlock[] {
  const blocks: PlanBlock[] = []
  const lines = text.split('\n')
  let open: string | null = null
  let isNew = true
  lines.forEach((line, index) => {
    const mark = fence.exec(line)?.[1]?.slice(0, 3)
    const last = blocks.at(-1)
    if (open === null && line.trim() === '') {
      isNew = true
      return
    }
    const begins = open === null && (isNew || item.test(line) || /^\s{0,3}#/.test(line) || mark !== undefined || /^\s{0,3}#/.test(last?.text ?? ''))
    if (begins || last === undefined) blocks.push({ line: index + 1, endLine: index + 1, text: line })
    else {
      last.text += `\n${line}`
      last.endLine = index + 1
    }
    if (mark !== undefined && (open === null || open === mark)) open = open === null ? mark : null
    isNew = mark !== undefined && open === null
  })
  return blocks
}
