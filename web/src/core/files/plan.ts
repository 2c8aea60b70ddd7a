import { computed, signal, type ReadonlySignal } from '@preact/signals-core'
import { type Api, type Wire } from '../service/api.js'

type Answer = Wire<'Plan'>
export type PlanDocument = NonNullable<Answer['plan']>

/** By which comments name the plan, in the place of a file. */
export const planPath = 'plan:plan.md'

/** A part of the plan that is drawn, and commented on, by itself. Lines count from 1. */
export interface PlanBlock { line: number, endLine: number, text: string }

/** The plan of a session, as the service has it, for all devices. What fails throws ApiError. */
export class Plan {
  readonly #state = signal<Answer | null>(null)
  readonly document: ReadonlySignal<PlanDocument | null> = computed(() => this.#state.value?.plan ?? null)
  /** Whether the service was asked. */
  readonly isKnown: ReadonlySignal<boolean> = computed(() => this.#state.value !== null)
  /** What a person writes, and the version that it takes the place of; null: nothing. */
  readonly edit = signal<{ text: string, version: number } | null>(null)
  /** Names the start that is under way, so that one that is repeated starts nothing twice. */
  #starting: string | null = null

  constructor (private readonly api: Api, readonly sessionId: string) {}

  async read (): Promise<void> {
    this.#take(await this.api.get('/api/session/plan', { session_id: this.sessionId }))
  }

  /** Begins to edit what is there. */
  begin (): void {
    const plan = this.document.peek()
    this.edit.value = { text: plan?.text ?? '', version: plan?.version ?? 0 }
  }

  /** Saves what is written. Of a 409 the text stays, for the version that is there then. */
  async save (): Promise<void> {
    const writing = this.edit.peek()
    if (writing === null) return
    this.#take(await this.api.post('/api/session/plan', { session_id: this.sessionId, ...writing }))
    this.edit.value = null
  }

  /** Takes what is written for a change of the version that is there now, which the person has been told of. */
  async rebase (): Promise<void> {
    await this.read()
    const writing = this.edit.peek()
    if (writing !== null) this.edit.value = { ...writing, version: this.document.peek()?.version ?? 0 }
  }

  /** Leaves plan mode and makes the plan the goal. */
  async go (): Promise<void> {
    this.#starting ??= crypto.getRandomValues(new Uint32Array(4)).join('-')
    const plan = this.document.peek()
    await this.api.post('/api/session/plan/go', { session_id: this.sessionId, version: plan?.version ?? 0, client_id: this.#starting })
      .finally(() => { this.#starting = null })
    await this.read()
  }

  /** Answers may overtake each other. */
  #take (answer: Answer): void {
    if ((answer.plan?.version ?? 0) >= (this.document.peek()?.version ?? 0)) this.#state.value = answer
  }
}

const fence = /^\s{0,3}(```+|~~~+)/
const item = /^\s*(?:[-*+]|\d{1,4}[.)])\s/

/** The blocks of a plan: each item of a list by itself, code and tables whole. */
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
