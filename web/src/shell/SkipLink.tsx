import { words } from '../words/index.js'

/** The first element that Tab reaches: leads past the list of chats, to the message box or the title of the screen. */
export function SkipLink ({ isChat }: { isChat: boolean }) {
  const w = words.value.shell
  return (
    <button type='button' class='skip-link visually-hidden' onClick={() => document.querySelector<HTMLElement>(isChat ? '#message' : '.page-title')?.focus()}>
      {isChat ? w.skip : w.skipToContent}
    </button>
  )
}
