import { signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError } from '../core/service/api.js'
import { type Answered, type Choice, type Prompts, type QuestionAnswer, type Waiting } from '../core/conversation/prompts.js'

/** The answer to one card: sent once, and kept for a retry if it fails. */
export interface Answering {
  /** Why the last attempt failed. */
  readonly error: ReadonlySignal<ApiError | null>
  readonly isBusy: ReadonlySignal<boolean>
  /** Set once the outcome is known. */
  readonly outcome: ReadonlySignal<Answered | null>
  /** Returns the answer that is being sent, or was sent last. */
  readonly sent: () => Choice | QuestionAnswer | null
  send: (answer: Choice | QuestionAnswer) => Promise<void>
  /** Sends the same answer again, after an error. */
  retry: () => Promise<void>
}

/** @param onLate called if someone or something else was first */
export function createAnswering (prompts: Pick<Prompts, 'decide' | 'answer'>, waiting: Waiting, onLate: () => void): Answering {
  const error = signal<ApiError | null>(null)
  const isBusy = signal(false)
  const outcome = signal<Answered | null>(null)
  let last: Choice | QuestionAnswer | null = null

  async function send (answer: Choice | QuestionAnswer): Promise<void> {
    if (isBusy.value || outcome.value !== null) return
    isBusy.value = true
    error.value = null
    last = answer
    try {
      if (typeof answer === 'string' && waiting.kind === 'approval') outcome.value = await prompts.decide(waiting, answer)
      else if (typeof answer === 'object' && waiting.kind === 'question') outcome.value = await prompts.answer(waiting, answer)
      if (outcome.value === 'late') onLate()
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      error.value = failure
    } finally {
      isBusy.value = false
    }
  }

  return {
    error,
    isBusy,
    outcome,
    sent: () => error.peek() === null ? last : null,
    send,
    retry: async () => { if (last !== null) await send(last) }
  }
}
