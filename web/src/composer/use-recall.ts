import { useRef } from 'preact/hooks'
import { type OpenChat } from '../conversation/open-chat.js'
import { promptHistory } from '../core/composer/drafts.js'

export interface Recall {
  /** Handles ↑ at the beginning of the box, which shows the previous message, and ↓, which shows the next one. */
  onArrow: (event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }) => void
  /** Called when the text in the box counts as new from now on. */
  end: () => void
}

/** Brings earlier messages of the chat back into the box; the text that was being written comes after the latest of them. */
export function useRecall ({ conversation, draft }: OpenChat): Recall {
  /** The index of the earlier message in the box; -1: the text that is being written. */
  const recalled = useRef(-1)
  const written = useRef('')
  return {
    onArrow (event) {
      const { key, currentTarget: area } = event
      const text = draft.text.peek()
      const isAtStart = area.selectionStart === 0 && area.selectionEnd === 0
      if (key === 'ArrowUp' ? !isAtStart && recalled.current === -1 && text !== '' : recalled.current === -1) return
      const earlier = promptHistory(conversation.transcript.exchanges.peek())
      const at = recalled.current + (key === 'ArrowUp' ? 1 : -1)
      const recalledText = at === -1 ? written.current : earlier[at]
      if (recalledText === undefined) return
      event.preventDefault()
      if (recalled.current === -1) written.current = text
      recalled.current = at
      draft.write(recalledText)
    },
    end: () => { recalled.current = -1 }
  }
}
