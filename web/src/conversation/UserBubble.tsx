import { useSignal } from '@preact/signals'
import { Ellipsis } from 'lucide-preact'
import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { api } from '../app.js'
import { type Conversation } from '../core/conversation.js'
import { type Exchange } from '../core/exchange.js'
import { editAndResend } from '../core/resending.js'
import { branchSession } from '../core/session-actions.js'
import { type Attachment, type UserMessage } from '../core/turn.js'
import { places } from '../shell/places.js'
import { Button } from '../ui/Button.js'
import { copyText } from '../ui/copy-text.js'
import { Menu } from '../ui/Menu.js'
import { attempt } from '../ui/attempt.js'
import { words } from '../words/index.js'
import { AttachmentView } from './AttachmentView.js'
import { earlierVersions, giveBack } from './opened.js'

/** What the person said, with the files that went along. */
export function UserBubble ({ user, exchange, conversation }: { user: UserMessage, exchange: Exchange, conversation: Conversation }) {
  const isEditing = useSignal(false)
  const [, go] = useLocation()
  const w = words.value.conversation
  const sessionId = conversation.sessionId.value
  const canChange = conversation.session.value?.read_only !== true && user.index !== null && sessionId !== null
  if (isEditing.value) return <Editing user={user} conversation={conversation} onDone={() => { isEditing.value = false }} />
  const branch = async (): Promise<void> => {
    const { session_id: id } = await branchSession(api, sessionId!, exchange.turn.endIndex ?? undefined)
    go(places.session(id))
  }
  const mark = user.state === 'sending' ? w.sending : user.source === 'goal' ? w.goal : user.source === 'cron' ? w.scheduled : user.source === 'steer' ? w.note : null
  return (
    <div class='bubble-row'>
      <div class='bubble' role='article' aria-label={w.you}>
        <p class='bubble-text'><bdi>{user.text}</bdi></p>
        {user.attachments.length === 0 ? null : <ul class='bubble-files'>{user.attachments.map((file, index) => <li key={file.path ?? index}><AttachmentView file={file as Attachment} sessionId={sessionId} /></li>)}</ul>}
        {mark === null ? null : <p class='bubble-mark'>{mark}</p>}
      </div>
      <Menu
        class='bubble-menu' icon={Ellipsis} size='small' label={w.actions}
        items={() => [
          { text: w.copyMessage, onPick: () => { void copyText(user.text) } },
          ...(canChange ? [{ text: w.edit, onPick: () => { isEditing.value = true } }] : []),
          ...(sessionId === null ? [] : [{ text: w.branch, onPick: () => { void attempt(branch) } }])
        ]}
      />
    </div>
  )
}

/** A message is written anew in its place; what came after it stays reachable in a branch. */
function Editing ({ user, conversation, onDone }: { user: UserMessage, conversation: Conversation, onDone: () => void }) {
  const text = useSignal(user.text)
  const isBusy = useSignal(false)
  const box = useRef<HTMLTextAreaElement>(null)
  useEffect(() => box.current?.focus(), [])
  const w = words.value.conversation
  const send = async (): Promise<void> => {
    if (text.value.trim() === '' || isBusy.value) return
    isBusy.value = true
    const resent = await editAndResend(conversation, user.index!, { text: text.value, attachments: user.attachments }, { keepOld: true })
    isBusy.value = false
    if (resent === null) return
    earlierVersions.add(conversation.sessionId.peek()!, resent)
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
      <p class='bubble-mark'>{w.editHint}</p>
      <div class='bubble-edit-actions'>
        <Button onClick={onDone}>{words.value.common.cancel}</Button>
        <Button kind='primary' type='submit' busy={isBusy.value}>{words.value.composer.send}</Button>
      </div>
    </form>
  )
}
