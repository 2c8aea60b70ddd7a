import { openConversation } from '../conversation/open-chat.js'

const box = (): HTMLTextAreaElement | null => document.querySelector<HTMLTextAreaElement>('#message')

/** Resolves once the page's own box can be seen: at once if the page has none, or nobody looks at it. */
export async function firstBoxShown (): Promise<void> {
  if (box() === null || document.visibilityState === 'hidden' || performance.getEntriesByName('first-contentful-paint').length > 0) return
  await new Promise<void>((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve))
    // A window that is hidden meanwhile has no more frames.
    document.addEventListener('visibilitychange', () => resolve(), { once: true })
  })
}

/**
 * Draws the app, with the text that was typed into the page's own box (app.html) before the app was there. The app is drawn over the
 * elements of the page, so that its box is the same element: the caret, a composition and a phone's keyboard stay.
 */
export function keepTyped (draw: () => void): void {
  const first = box()
  if (first === null) return draw()
  const { value: typed, selectionStart, selectionEnd } = first
  const isFocused = document.activeElement === first
  if (typed !== '') {
    const { draft } = openConversation(null)
    draft.write([draft.text.peek(), typed].filter((text) => text !== '').join('\n'))
  }
  draw()
  const drawn = box()
  if (!isFocused || drawn === null || (drawn === document.activeElement && drawn.value === typed)) return
  drawn.focus()
  // An earlier draft stands before what was typed.
  const added = Math.max(0, drawn.value.length - typed.length)
  drawn.setSelectionRange(selectionStart + added, selectionEnd + added)
}
