import { opened } from '../conversation/opened.js'

/** Puts a quotation into the box of the open chat, after what is written there, and moves the focus behind it. */
export function quoteIntoBox (text: string): void {
  const draft = opened.peek()?.draft
  if (draft === undefined) return
  draft.write(withQuotation(draft.text.peek(), text))
  // The box takes over the text first.
  requestAnimationFrame(() => {
    const box = document.querySelector<HTMLTextAreaElement>('#message')
    box?.focus()
    box?.setSelectionRange(box.value.length, box.value.length)
  })
}

/** Returns a draft with a quotation at its end, and room for what is said about it. */
function withQuotation (draft: string, text: string): string {
  const quoted = text.trim().split(/\n+/).map((line) => `> ${line}`.trimEnd()).join('\n')
  return `${draft.trim() === '' ? '' : `${draft.trimEnd()}\n\n`}${quoted}\n\n`
}
