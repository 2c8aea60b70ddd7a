import { signal } from '@preact/signals'

/** The open dialogs, the topmost last. Nothing outside of the topmost one can be clicked. */
export const openDialogs = signal<readonly HTMLDialogElement[]>([])

/** Registers an open dialog. Returns a function that removes it. */
export function dialogOpened (dialog: HTMLDialogElement): () => void {
  openDialogs.value = [...openDialogs.peek(), dialog]
  return () => { openDialogs.value = openDialogs.peek().filter((one) => one !== dialog) }
}

/**
 * Makes dialogs modal again that a list has moved with their row, which ends it, and those above them in their order. Returns whether there
 * were any.
 */
export function keepModal (): boolean {
  const open = openDialogs.peek().filter(({ isConnected }) => isConnected)
  const lost = open.findIndex((dialog) => !dialog.matches(':modal'))
  if (lost === -1) return false
  for (const dialog of open.slice(lost)) {
    dialog.close()
    dialog.showModal()
  }
  return true
}
