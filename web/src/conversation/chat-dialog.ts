import { signal } from '@preact/signals'

/** The open dialog about the whole chat. */
export const chatDialog = signal<'outline' | 'worktree' | null>(null)

/** The path of the chat whose menu was asked for before its code was loaded: it opens then. */
export const menuAsked = signal<string | null>(null)
