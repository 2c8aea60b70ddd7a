import { openChat } from '../conversation/open-chat.js'

/** Puts a quotation into the box of the open chat, after the existing text, and moves the caret behind it. */
export function quoteIntoBox (text: string): void {
  const draft = openChat.peek()?.draft
  if (draft === undefined) return
  draft.write(withQuotation(draft.text.peek(), text))
  // The box has to show the text first.
  requestAnimationFrame(() => {
    const box = document.querySelector<HTMLTextAreaElement>('#message')
    box?.focus()
    box?.setSelectionRange(box.value.length, box.value.length)
  })
}

/** Returns a draft with a quotation at its end, and space for a comment on it. */
function withQuotation (draft: string, text: string): string {
  const quoted = text.trim().split(/\n+/).map((line) => `> ${line}`.trimEnd()).join('\n')
  return `${draft.trim() === '' ? '' : `${draft.trimEnd()}\n\n`}${quoted}\n\n`
}
