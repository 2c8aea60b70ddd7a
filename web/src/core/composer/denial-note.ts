import { effect, signal, type ReadonlySignal } from '@preact/signals-core'
import { type Prompts, type Waiting } from '../conversation/prompts.js'
import { type Draft } from './drafts.js'

export type WaitingApproval = Waiting & { kind: 'approval' }

export interface DenialNote {
  /** The request that Enter denies, with the text in the box as a note; null: Enter has its usual meaning. */
  readonly request: ReadonlySignal<WaitingApproval | null>
  stop: () => void
}

/**
 * While a request waits, the text in the box becomes the note to its denial, but only if its typing began after the request appeared.
 * Earlier text keeps its meaning, as does text that came from the service or back after a refusal.
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
    // When more budget is denied, the turn ends, so no agent would read a note.
    if (first?.kind !== 'approval' || first.prompt.budget !== undefined) request.value = null
    else if (isEmpty || (known?.id === first.id && draft.isTyped)) request.value = first
    else request.value = null
  })
  return { request, stop }
}
