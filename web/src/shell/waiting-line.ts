import { signal } from '@preact/signals'
import { type Waiting } from '../core/conversation/prompts.js'

const say = signal<((waiting: Waiting) => string) | null>(null)

/** Returns what waits in a line; '' until what says it is loaded, which a start without anything waiting does not need. */
export function waitingLine (waiting: Waiting): string {
  if (say.value === null) void import('../prompts/say.js').then(({ rowLineOf }) => { say.value = rowLineOf }).catch(console.warn)
  return say.value?.(waiting) ?? ''
}
