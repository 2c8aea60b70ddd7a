import { useSignal } from '@preact/signals'
import { navigate } from 'wouter-preact/use-browser-location'
import { api } from '../app.js'
import { type Conversation } from '../core/conversation/conversation.js'
import { type Exchange } from '../core/turn/exchange.js'
import { isMasked } from '../core/conversation/masked.js'
import { reportKindOf } from '../core/conversation/sent-report.js'
import { branchSession, readTyped } from '../core/sessions/session-actions.js'
import { type UserMessage } from '../core/turn/turn.js'
import { places } from '../shell/places.js'
import { copyText } from '../ui/copy-text.js'
import { Ellipsis } from '../ui/icons.js'
import { Menu } from '../ui/Menu.js'
import { attempt } from '../ui/attempt.js'
import { lazy } from '../ui/lazy.js'
import { words } from '../words/index.js'
import { AttachmentView } from './AttachmentView.js'

const EditedMessage = lazy(async () => (await import('./EditedMessage.js')).EditedMessage, { isBrief: true })

const SentReport = lazy(async () => (await import('./SentReport.js')).SentReport, { waiting: null })

/** Shows a message of the person, with its files. */
export function UserBubble ({ user, exchange, conversation }: { user: UserMessage, exchange: Exchange, conversation: Conversation }) {
  /** The text as it was typed, while it is edited. */
  const edited = useSignal<string | null>(null)
  const w = words.value.conversation
  const sessionId = conversation.sessionId.value
  const canChange = conversation.session.value?.read_only !== true
  if (edited.value !== null) {
    return <EditedMessage user={user} text={edited.value} conversation={conversation} onDone={() => { edited.value = null }} />
  }
  const report = reportKindOf(user)
  const edit = async (sessionId: string, index: number): Promise<void> => {
    edited.value = isMasked(user.text) ? await readTyped(api, sessionId, index) : user.text
  }
  const branch = async (sessionId: string): Promise<void> => {
    const { session_id: id } = await branchSession(api, sessionId, exchange.turn.endIndex ?? undefined, conversation.session.peek()?.title)
    navigate(places.session(id))
  }
  const mark = user.state === 'sending'
    ? w.sending
    : user.source === 'goal' ? w.goal : user.source === 'cron' ? w.scheduled : user.source === 'steer' ? w.note : user.source === 'check' ? w.byCheck : null
  return (
    <div class='bubble-row'>
      <div class='bubble' role='article' aria-label={w.you}>
        {report === null ? <p class='bubble-text' dir='auto'>{user.text}</p> : <SentReport kind={report} text={user.text} />}
        {user.attachments.length === 0
          ? null
          : (
            <ul class='bubble-files'>
              {user.attachments.map((file, index) => (
                <li key={file.path ?? index}><AttachmentView file={file} sessionId={sessionId} /></li>
              ))}
            </ul>
            )}
        {mark === null ? null : <p class='bubble-mark'>{mark}</p>}
      </div>
      <Menu
        class='bubble-menu' icon={Ellipsis} size='small' label={w.actions}
        items={() => {
          const items = [{ text: w.copyMessage, onPick: () => { void copyText(user.text) } }]
          const { index } = user
          if (sessionId === null) return items
          if (canChange && index !== null) items.push({ text: w.edit, onPick: () => { void attempt(() => edit(sessionId, index)) } })
          return [...items, { text: w.branch, onPick: () => { void attempt(() => branch(sessionId)) } }]
        }}
      />
    </div>
  )
}
