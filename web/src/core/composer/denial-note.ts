import { effect, signal, type ReadonlySignal } from '@preact/signals-core'
import { type Prompts, type Waiting } from '../conversation/prompts.js'

export type WaitingApproval = Waiting & { kind: 'approval' }

export interface DenialNote {
  /** The request that Enter denies, with the text in the box as a note; null: Enter does what it always does. */
  readonly request: ReadonlySignal<WaitingApproval | null>
  stop: () => void
}

/**
 * While a request waits, the text in the box is the note to its denial, but only text whose typing began while it waited: what someone was
 * typing when it appeared keeps its meaning.
 */
export function denialNote (
  { prompts, sessionId, text }: { prompts: Pick<Prompts, 'of'>, sessionId: ReadonlySignal<string | null>, text: ReadonlySignal<string> }
): DenialNote {
  const request = signal<WaitingApproval | null>(null)
  const stop = effect(() => {
    const first = sessionId.value === null ? undefined : prompts.of(sessionId.value)[0]
    const isEmpty = text.value.trim() === ''
    const known = request.peek()
    // Denied more budget, the turn ends, and nobody reads a note.
    if (first?.kind !== 'approval' || first.prompt.budget !== undefined) request.value = null
    else if (isEmpty || known?.id === first.id) request.value = first
    else request.value = null
  })
  return { request, stop }
}
