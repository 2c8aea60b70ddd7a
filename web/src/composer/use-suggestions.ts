import { useSignal } from '@preact/signals'
import { type RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { type Completion } from '../core/composer/completion.js'
import { type OpenChat } from '../conversation/open-chat.js'
import { isTouch } from '../ui/screen.js'
import { loadScreenWords } from '../words/index.js'
import { type Assist } from './assist.js'

/** The completion of commands and mentions in the box. */
export interface BoxSuggestions {
  /** Null until there is something to complete. */
  readonly completion: Completion | null
  load: () => Promise<Assist>
  /** Called when the person has typed. */
  look: (area: HTMLTextAreaElement) => void
  /** Called when the caret may have moved. */
  moved: (area: HTMLTextAreaElement) => void
  /** Returns whether the list has handled a key. */
  key: (event: KeyboardEvent) => boolean
  take: (at?: number) => void
  close: () => void
}

/** Completes commands and files as they are typed. Its code is loaded with the first slash or @. */
export function useSuggestions (opened: OpenChat, box: RefObject<HTMLTextAreaElement>): BoxSuggestions {
  const assist = useSignal<Assist | null>(null)
  /** The position of the caret after a completion, set once the box shows it. */
  const caret = useRef<number | null>(null)
  const { draft, attachments } = opened
  const text = draft.text.value
  useEffect(() => () => { assist.value = null }, [opened])

  const load = async (): Promise<Assist> => {
    const [{ assistOf }] = await Promise.all([import('./assist.js'), loadScreenWords()])
    const loaded = assistOf(opened)
    assist.value = loaded
    return loaded
  }

  async function look ({ value }: HTMLTextAreaElement): Promise<void> {
    const isFirst = assist.peek() === null
    if (isFirst && !value.startsWith('/') && !value.includes('@')) return
    const { completion, commands } = assist.peek() ?? await load()
    // Commands are read again with each slash, because skills and files come and go.
    if (value === '/' || (value.startsWith('/') && commands.value.peek() === undefined)) await commands.refresh()
    // More may have been typed meanwhile.
    const area = box.current
    if (area !== null) await completion.look(area.value, area.selectionStart)
  }

  useLayoutEffect(() => {
    const area = box.current
    if (caret.current === null || area === null) return
    area.setSelectionRange(caret.current, caret.current)
    caret.current = null
    area.focus()
    void look(area)
  }, [text])

  const completion = assist.value?.completion ?? null
  const take = (at?: number): void => {
    const taken = completion?.take(at)
    if (taken == null) return
    caret.current = taken.caret
    const { entry } = taken.suggestion
    const picture = entry === null || entry.is_dir ? null : assist.peek()?.pictureOf(entry.path, entry.name, entry.size)
    if (picture != null) attachments.restore([picture])
    draft.write(taken.text)
  }

  return {
    completion,
    load,
    take,
    // Without a network its code may be missing; typed text can still be sent.
    look: (area) => { look(area).catch(console.warn) },
    moved: ({
      value, selectionStart, selectionEnd
    }) => { if (completion?.isOpen === true && selectionStart === selectionEnd) void completion.look(value, selectionStart) },
    close: () => completion?.close(),
    key: (event) => {
      if (completion?.isOpen !== true || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return false
      const isTaking = event.key === 'Tab' || (event.key === 'Enter' && !isTouch.peek() && !completion.isWritten)
      if (event.key === 'ArrowDown') completion.move(1)
      else if (event.key === 'ArrowUp') completion.move(-1)
      else if (event.key === 'Escape') completion.putAway()
      else if (isTaking) take()
      else return false
      event.preventDefault()
      return true
    }
  }
}
