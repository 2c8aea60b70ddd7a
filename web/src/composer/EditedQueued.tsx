import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { settings } from '../app.js'
import { sends } from '../core/composer/send-key.js'
import { type MessageQueue, type QueuedMessage } from '../core/conversation/message-queue.js'
import { ApiError } from '../core/service/api.js'
import { Button } from '../ui/Button.js'
import { growWithText } from '../ui/grow-with-text.js'
import { isTouch } from '../ui/screen.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'

/** Edits a queued message in place. `message` null: the message has left the queue, and the typed text goes to the message box. */
export function EditedQueued ({ queue, message, onDone, onBegun }: {
  queue: MessageQueue
  message: QueuedMessage | null
  onDone: () => void
  onBegun: (text: string) => void
}) {
  const text = useSignal(message?.message ?? '')
  const isBusy = useSignal(false)
  const isTyped = useRef(false)
  const box = useRef<HTMLTextAreaElement>(null)
  /** The version that the text is based on; another device may change the message meanwhile. */
  const known = useRef(message)
  const w = screenWords.value.queue
  useEffect(() => {
    box.current?.focus()
    box.current?.setSelectionRange(text.peek().length, text.peek().length)
  }, [])
  useEffect(() => {
    if (message !== null || isBusy.peek()) return
    if (isTyped.current) {
      onBegun(text.peek())
      toast(w.begun)
    }
    onDone()
  }, [message])
  useEffect(() => { if (box.current !== null) growWithText(box.current, 1, 10) }, [text.value])
  const save = async (): Promise<void> => {
    const [{ current: of }, typed] = [known, text.peek().trim()]
    if (of === null || typed === '' || isBusy.peek()) return
    isBusy.value = true
    try {
      await queue.edit(of, typed)
      onDone()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      known.current = queue.messages.peek().find(({ id }) => id === of.id) ?? of
      toast(error.code === 'queue_changed' ? w.changedElsewhere : error.message, { kind: 'bad' })
    } finally {
      isBusy.value = false
    }
  }
  return (
    <div class='queue-edit'>
      <textarea
        ref={box} rows={1} dir='auto' aria-label={w.editing} value={text.value}
        onInput={({ currentTarget }) => {
          isTyped.current = true
          text.value = currentTarget.value
        }}
        onKeyDown={(event) => {
          if (event.isComposing) return
          if (event.key === 'Escape') {
            event.preventDefault()
            event.stopPropagation()
            onDone()
          } else if (sends(event, { sendKey: settings.values.peek().send_key, isTouch: isTouch.peek() })) {
            event.preventDefault()
            void save()
          }
        }}
      />
      <span class='queue-choices'>
        <Button kind='quiet' size='small' onClick={onDone}>{words.value.common.cancel}</Button>
        <Button kind='primary' size='small' busy={isBusy.value} onClick={() => { void save() }}>{w.save}</Button>
      </span>
    </div>
  )
}
