import { signal } from '@preact/signals'

/** Dialogs that are open, the topmost last. What is not in the topmost cannot be clicked. */
export const openDialogs = signal<readonly HTMLDialogElement[]>([])

/** Says that a dialog is open; what it returns says that it is not any more. */
export function dialogOpened (dialog: HTMLDialogElement): () => void {
  openDialogs.value = [...openDialogs.peek(), dialog]
  return () => { openDialogs.value = openDialogs.peek().filter((one) => one !== dialog) }
}
