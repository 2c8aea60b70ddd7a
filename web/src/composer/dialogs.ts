import { signal } from '@preact/signals'

/** The dialog that the composer has opened: all commands, the output of one, a choice, or the usage. */
export type BoxDialog =
  | { kind: 'help' | 'model' | 'reasoning' | 'personality' | 'workspace' | 'usage' | 'attempts' }
  | { kind: 'output', command: string, text: string }

export const boxDialog = signal<BoxDialog | null>(null)
