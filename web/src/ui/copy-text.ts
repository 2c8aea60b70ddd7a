/** Copies a text to the clipboard. Resolves with false if the browser refuses. */
export async function copyText (text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

/** Copies by selection, because pages without HTTPS have no clipboard API. */
function copyBySelection (text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.readOnly = true
  area.className = 'visually-hidden'
  const before = document.activeElement
  const ground = document.querySelector('dialog[open]:last-of-type') ?? document.body
  ground.append(area)
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus({ preventScroll: true })
  return copied
}
