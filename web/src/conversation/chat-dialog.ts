import { signal } from '@preact/signals'

/** The open dialog about the whole chat. */
export const chatDialog = signal<'outline' | 'worktree' | null>(null)
