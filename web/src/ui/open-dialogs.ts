import { signal } from '@preact/signals'

/** The open dialogs, the topmost last. Nothing outside of the topmost one can be clicked. */
export const openDialogs = signal<readonly HTMLDialogElement[]>([])

/** Registers an open dialog. Returns a function that removes it. */
export function dialogOpened (dialog: HTMLDialogElement): () => void {
  openDialogs.value = [...openDialogs.peek(), dialog]
  return () => { openDialogs.value = openDialogs.peek().filter((one) => one !== dialog) }
}
