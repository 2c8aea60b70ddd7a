import { signal } from '@preact/signals'

/** What lies over the conversation for the box: all commands, what one has said, a choice, or what is used. */
export type BoxDialog =
  | { kind: 'help' | 'model' | 'reasoning' | 'personality' | 'workspace' | 'usage' }
  | { kind: 'output', command: string, text: string }

export const boxDialog = signal<BoxDialog | null>(null)
