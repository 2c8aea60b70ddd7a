import { signal } from '@preact/signals'

/** On a phone: whether the list of chats lies over the page. */
export const drawer = signal(false)
