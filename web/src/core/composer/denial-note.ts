import { effect, signal, type ReadonlySignal } from '@preact/signals-core'
import { type Prompts, type Waiting } from '../conversation/prompts.js'
import { type Draft } from './drafts.js'

export type WaitingApproval = Waiting & { kind: 'approval' }

export interface DenialNote {
  /** The request that Enter denies, with the text in the box as a note; null: Enter does what it always does. */
  readonly request: ReadonlySignal<WaitingApproval | null>
  stop: () => void
}

/**
 * While a request waits, the text in the box is the note to its denial, but only text whose typing began while it waited: what someone was
 * typing when it appeared keeps its meaning, also where it comes from the service or back after a refusal.
 */
export function denialNote (
  { prompts, sessionId, draft }: {
    prompts: Pick<Prompts, 'of'>
    sessionId: ReadonlySignal<string | null>
    draft: Pick<Draft, 'text' | 'isTyped'>
  }
): DenialNote {
  const request = signal<WaitingApproval | null>(null)
  const stop = effect(() => {
    const first = sessionId.value === null ? undefined : prompts.of(sessionId.value)[0]
    const isEmpty = draft.text.value.trim() === ''
    const known = request.peek()
    // Denied more budget, the turn ends, and nobody reads a note.
    if (first?.kind !== 'approval' || first.prompt.budget !== undefined) request.value = null
    else if (isEmpty || (known?.id === first.id && draft.isTyped)) request.value = first
    else request.value = null
  })
  return { request, stop }
}
