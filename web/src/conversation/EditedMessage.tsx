import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Conversation } from '../core/conversation/conversation.js'
import { editAndResend } from '../core/conversation/resending.js'
import { type UserMessage } from '../core/turn/turn.js'
import { Button } from '../ui/Button.js'
import { words } from '../words/index.js'
import { giveBack, openChat } from './open-chat.js'

/** Edits a sent message in place and sends it again; a branch keeps what came after it. */
export function EditedMessage ({ user, text: typed, conversation, onDone }: {
  user: UserMessage
  text: string
  conversation: Conversation
  onDone: () => void
}) {
  const text = useSignal(typed)
  const isBusy = useSignal(false)
  const box = useRef<HTMLTextAreaElement>(null)
  // The field is taller than the message it replaces: a view that follows the end would scroll away from it.
  useEffect(() => {
    openChat.peek()?.view?.leaveEnd()
    box.current?.focus({ preventScroll: true })
    const frame = requestAnimationFrame(() => box.current?.form?.scrollIntoView({ block: 'nearest' }))
    return () => cancelAnimationFrame(frame)
  }, [])
  const isRunning = conversation.running.value !== null
  const w = words.value.conversation
  const send = async (): Promise<void> => {
    const id = conversation.sessionId.peek()
    if (text.value.trim() === '' || isBusy.value || isRunning || id === null || user.index === null) return
    isBusy.value = true
    const resent = await editAndResend(conversation, user.index, { text: text.value, attachments: user.attachments }, { keepOld: true })
    isBusy.value = false
    if (resent === null) return
    if (!resent.isSent) giveBack(resent)
    onDone()
  }
  return (
    <form class='bubble-edit' onSubmit={(event) => { event.preventDefault(); void send() }}>
      <textarea
        ref={box} value={text} aria-label={w.edit} rows={Math.min(12, text.value.split('\n').length + 1)} dir='auto'
        onInput={({ currentTarget }) => { text.value = currentTarget.value }}
        onKeyDown={(event) => { if (event.key === 'Escape') { event.preventDefault(); event.stopPropagation(); onDone() } }}
      />
      <p class='bubble-mark' role={isRunning ? 'status' : undefined}>{isRunning ? w.editWaits : conversation.session.value?.temporary === true ? null : w.editHint}</p>
      <div class='bubble-edit-actions'>
        <Button onClick={onDone}>{words.value.common.cancel}</Button>
        <Button kind='primary' type='submit' busy={isBusy.value} disabled={isRunning}>{words.value.composer.send}</Button>
      </div>
    </form>
  )
}
