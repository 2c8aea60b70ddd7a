import { signal } from '@preact/signals'

/** Whether the list of chats is open over the page, on a phone. */
export const drawer = signal(false)
