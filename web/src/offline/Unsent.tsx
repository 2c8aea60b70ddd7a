import { outbox } from '../app.js'
import { type Outbox } from '../core/conversation/outbox.js'
import { type Unsent as Message } from '../core/conversation/unsent.js'
import { Button } from '../ui/Button.js'
import { Pencil, X } from '../ui/icons.js'
import { toast } from '../ui/toasts.js'
import { words } from '../words/index.js'
import './offline.css'

/** Lists the unsent messages of this chat, in order; on the empty page, those that begin chats. */
export function Unsent ({ sessionId, onEdit }: { sessionId: string | null, onEdit: (message: Message) => void }) {
  const box = outbox
  if (box === undefined) return null
  const messages = box.unsent.value.filter((message) => message.sessionId === sessionId)
  if (messages.length === 0) return null
  return (
    <ul class='unsent' aria-label={words.value.offline.unsent}>
      {messages.map((message) => <Row key={message.id} message={message} outbox={box} onEdit={onEdit} />)}
    </ul>
  )
}

function Row ({ message, outbox, onEdit }: { message: Message, outbox: Outbox, onEdit: (message: Message) => void }) {
  const w = words.value.offline
  const isOnItsWay = outbox.sending.value === message.id
  // It may have arrived: if it were sent again from the box, it could be stored twice.
  const isUnsure = message.isTried
  const state = message.isEarlier === true
    ? w.earlier
    : message.problem !== null ? w.refused(message.problem) : isOnItsWay ? w.onItsWay : isUnsure ? w.unsure : w.waits
  const take = async (then: (message: Message) => void): Promise<void> => {
    const taken = await outbox.take(message.id)
    if (taken === null) toast(w.gone)
    else then(taken)
  }
  const remove = (taken: Message): void => {
    toast(w.removed, {
      action: { text: words.value.common.undo, onPick: () => { outbox.put({ ...taken, triedAs: taken.isTried ? taken.id : null }) } }
    })
  }
  return (
    <li class='unsent-message' data-refused={message.problem !== null || message.isEarlier === true || undefined}>
      <p class='unsent-text'><bdi>{message.text}</bdi></p>
      <p class='unsent-state' role='status'>{state}</p>
      {isOnItsWay
        ? null
        : (
          <span class='unsent-actions'>
            {message.isEarlier === true
              ? <Button size='small' onClick={() => outbox.again(message.id)}>{w.sendNow}</Button>
              : message.problem === null
                ? null
                : <Button size='small' onClick={() => outbox.again(message.id)}>{words.value.common.retry}</Button>}
            {isUnsure ? null : <Button kind='quiet' size='small' icon={Pencil} label={w.edit} onClick={() => { void take(onEdit) }} />}
            <Button kind='quiet' size='small' icon={X} label={w.remove} onClick={() => { void take(remove) }} />
          </span>)}
    </li>
  )
}
