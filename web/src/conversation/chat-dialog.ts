import { signal } from '@preact/signals'

/** What lies over a chat and is about all of it. */
export const chatDialog = signal<'outline' | 'worktree' | null>(null)
