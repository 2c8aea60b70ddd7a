import { type RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { settings } from '../app.js'
import { type OpenChat } from '../conversation/open-chat.js'
import { sends } from '../core/composer/send-key.js'
import { filesOf, isPasteOfFiles } from '../core/composer/uploads.js'
import { hasNews } from '../home/visit.js'
import { places } from '../shell/places.js'
import { growWithText } from '../ui/grow-with-text.js'
import { isTouch } from '../ui/screen.js'
import { words } from '../words/index.js'
import { takeFiles } from './files.js'
import { createPlanKey } from './plan-key.js'
import { suggestionId, suggestionsId } from './suggestion-ids.js'
import { type Recall } from './use-recall.js'
import { type BoxSuggestions } from './use-suggestions.js'

/** The id of the box, by which others give it the focus. */
const boxId = 'message'

/** The text field of the composer: Enter sends, ↑ brings back earlier messages, and typed text may have suggestions. */
export function MessageBox ({ opened, box, suggestions, recall, isDenial, noteId, onSubmit }: {
  opened: OpenChat
  box: RefObject<HTMLTextAreaElement>
  suggestions: BoxSuggestions
  recall: Recall
  /** Whether the text is the note to a denial. */
  isDenial: boolean
  /** The id of the notes beside the box; undefined if there are none. */
  noteId: string | undefined
  onSubmit: (whileRunning: 'steer' | 'queue') => void
}) {
  const { conversation, draft } = opened
  const w = words.value.composer
  const text = draft.text.value
  const mode = conversation.mode.value
  // If the heading already asks what to do, the box does not ask again.
  const [path] = useLocation()
  const isHome = path === places.start && conversation.sessionId.value === null
  const { completion } = suggestions
  const planKey = useMemo(() => createPlanKey(opened), [opened])
  useLayoutEffect(() => { if (box.current !== null) growWithText(box.current, 1, 14) }, [text])
  useEffect(() => { if (!isTouch.peek()) box.current?.focus() }, [opened])

  function onKeyDown (event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }): void {
    // Safari sends the Enter that ends a composition after it, with the key code 229.
    if (event.isComposing || event.keyCode === 229 || suggestions.key(event) || planKey.onKey(event)) return
    if (sends(event, { sendKey: settings.values.peek().send_key, isTouch: isTouch.peek() })) {
      event.preventDefault()
      onSubmit(event.altKey ? 'queue' : 'steer')
    } else if ((event.key === 'ArrowUp' || event.key === 'ArrowDown') && !event.shiftKey && !event.altKey &&
      !event.ctrlKey && !event.metaKey) {
      recall.onArrow(event)
    }
  }

  return (
    <textarea
      id={boxId} ref={box} rows={1} dir='auto' autocomplete='off' value={text} aria-label={w.box} aria-describedby={noteId}
      enterkeyhint={isTouch.value ? 'enter' : 'send'} aria-autocomplete='list'
      aria-controls={completion?.isOpen === true ? suggestionsId : undefined}
      aria-activedescendant={completion?.isOpen === true ? suggestionId(completion.active.value) : undefined}
      placeholder={isDenial
        ? w.placeholderDenial
        : mode === 'running' || mode === 'stopping'
          ? w.placeholderRunning
          : isHome && hasNews.value ? w.placeholderNew : w.placeholder}
      onInput={({ currentTarget }) => {
        recall.end()
        draft.write(currentTarget.value)
        suggestions.look(currentTarget)
        if (conversation.notice.peek() !== null) conversation.tell(null)
      }}
      onSelect={({ currentTarget }) => suggestions.moved(currentTarget)}
      onBlur={() => {
        planKey.left()
        suggestions.close()
      }}
      onKeyDown={onKeyDown}
      onPaste={(event) => {
        if (event.clipboardData === null || !isPasteOfFiles(event.clipboardData)) return
        event.preventDefault()
        void takeFiles(opened, filesOf(event.clipboardData))
      }}
    />
  )
}
