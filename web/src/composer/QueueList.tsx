import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { prompts } from '../app.js'
import { type OpenChat } from '../conversation/open-chat.js'
import { MessageQueue, type QueuedMessage, type Removed } from '../core/conversation/message-queue.js'
import { announce } from '../ui/Announcer.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { Icon } from '../ui/Icon.js'
import { ArrowDown, ArrowUp, Ellipsis, GripVertical, Paperclip, Pencil, X } from '../ui/icons.js'
import { Menu } from '../ui/Menu.js'
import { isTouch } from '../ui/screen.js'
import { toast } from '../ui/toasts.js'
import { times } from '../words/times.js'
import { screenWords, words } from '../words/index.js'
import { EditedQueued } from './EditedQueued.js'
import './queue.css'

/** The actions on one message of the list. */
interface Actions {
  sendNow: (message: QueuedMessage) => void
  edit: (message: QueuedMessage) => void
  remove: (message: QueuedMessage) => void
  move: (message: QueuedMessage, to: number) => void
}

/** The queue of a chat, the same for all devices: its order, its texts, and why it is held. */
export function QueueList ({ opened }: { opened: OpenChat }) {
  const { conversation, draft } = opened
  const queue = useMemo(() => new MessageQueue(conversation), [conversation])
  useEffect(() => () => queue.close(), [queue])
  const [edited, setEdited] = useState<QueuedMessage | null>(null)
  const list = useRef<HTMLOListElement>(null)
  const drag = useDrag(queue)
  const messages = queue.messages.value
  const focusAgain = useFocusAfterMove(list, messages)
  const w = screenWords.value.queue
  const isRunning = conversation.running.value !== null
  const isAsked = prompts.waiting.value.some(({ sessionId }) => sessionId === conversation.sessionId.value)
  const held = queue.held.value
  const isAtLimit = queue.isAtLimit.value
  // The message has begun, or was removed elsewhere, while it is edited here.
  const hasLeft = edited !== null && messages.every(({ id }) => id !== edited.id)
  if (messages.length === 0 && !hasLeft) return null

  const restorable = (said: string, gone: readonly Removed[]): void => {
    const restore = async (): Promise<void> => { for (const one of gone) await queue.restore(one) }
    toast(said, { about: 'queue', action: { text: words.value.common.undo, onPick: () => { void attempt(restore) } } })
  }
  const drop = (): void => {
    void attempt(async () => {
      const gone = await queue.clear()
      restorable(w.dropped(gone.length), gone)
    })
  }
  const actions: Actions = {
    sendNow: (message) => {
      void attempt(async () => {
        const { sent } = await queue.sendNow(message)
        if (sent === 'steered') toast(w.steered)
        else if (sent === 'next') toast(w.next)
      })
    },
    edit: setEdited,
    remove: (message) => { void attempt(async () => restorable(w.removed, [await queue.remove(message)])) },
    move: (message, to) => {
      if (to < 0 || to >= messages.length) return
      focusAgain(message.id)
      void attempt(async () => {
        await queue.move(message, to)
        announce(w.moved(to + 1, messages.length))
      })
    }
  }
  return (
    <section class='queue' aria-label={w.list}>
      <div class='queue-head'>
        <p class='queue-title' role='status' data-held={held !== null || isAsked || isAtLimit || undefined}>
          {held !== null ? w.held[held] : isAsked ? w.waiting : isAtLimit ? w.limit : w.title(messages.length)}
        </p>
        {held === null
          ? null
          : (
            <span class='queue-choices'>
              <Button kind='quiet' size='small' onClick={drop}>{w.drop}</Button>
              <Button kind='primary' size='small' onClick={() => { void attempt(() => queue.resume()) }}>{w.goOn}</Button>
            </span>)}
      </div>
      <ol ref={list} class='queue-list' {...drag.ofList}>
        {(hasLeft ? [...messages, edited] : messages).map((message, at) => (
          <li key={message.id} data-id={message.id} {...drag.ofRow(message, at)}>
            {edited?.id === message.id
              ? (
                <EditedQueued
                  queue={queue} message={hasLeft ? null : message} onDone={() => setEdited(null)}
                  onBegun={(text) => draft.giveBack(text)}
                />
                )
              : <Row message={message} at={at} count={messages.length} isRunning={isRunning} actions={actions} />}
          </li>
        ))}
      </ol>
    </section>
  )
}

function Row ({ message, at, count, isRunning, actions }: {
  message: QueuedMessage
  at: number
  count: number
  isRunning: boolean
  actions: Actions
}) {
  const w = screenWords.value.queue
  const { message: text, attachments, model, not_before: notBefore } = message
  const short = text.length > 60 ? `${text.slice(0, 60)}…` : text
  const send = isRunning ? w.addNow : w.sendNow
  const onGripKey = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    event.preventDefault()
    actions.move(message, at + (event.key === 'ArrowUp' ? -1 : 1))
  }
  return (
    <div class='queue-row'>
      {isTouch.value
        ? null
        : (
          <Button
            kind='quiet' size='small' class='queue-grip' icon={GripVertical} label={w.move(short)} aria-description={w.moveHint}
            onKeyDown={onGripKey}
          />
          )}
      <p class='queue-text'>
        <bdi>{text}</bdi>
        {attachments.length === 0
          ? null
          : <span class='queue-fact'><Icon of={Paperclip} size={12} label={w.files(attachments.length)} />{attachments.length}</span>}
        {model === undefined ? null : <span class='queue-fact'><bdi>{model}</bdi></span>}
        {notBefore === null ? null : <span class='queue-fact'>{w.from(times.at(notBefore))}</span>}
      </p>
      {isTouch.value
        ? <Menu
            size='small' icon={Ellipsis} label={w.more(short)}
            items={[
              { text: send, icon: ArrowUp, onPick: () => actions.sendNow(message) },
              { text: w.edit, icon: Pencil, onPick: () => actions.edit(message) },
              { text: w.moveUp, icon: ArrowUp, disabled: at === 0, onPick: () => actions.move(message, at - 1) },
              { text: w.moveDown, icon: ArrowDown, disabled: at === count - 1, onPick: () => actions.move(message, at + 1) },
              'line',
              { text: w.remove, icon: X, danger: true, onPick: () => actions.remove(message) }
            ]}
          />
        : (
          <span class='queue-actions'>
            <Button kind='quiet' size='small' icon={ArrowUp} label={send} onClick={() => actions.sendNow(message)} />
            <Button kind='quiet' size='small' icon={Pencil} label={w.edit} onClick={() => actions.edit(message)} />
            <Button kind='quiet' size='small' icon={X} label={w.remove} onClick={() => actions.remove(message)} />
          </span>)}
    </div>
  )
}

/** Moves a message that is dragged over the list to the position where it is dropped. */
function useDrag (queue: MessageQueue) {
  const [dragged, setDragged] = useState<QueuedMessage | null>(null)
  const [over, setOver] = useState<number | null>(null)
  const end = (): void => {
    setDragged(null)
    setOver(null)
  }
  return {
    ofList: {
      onDrop: (event: DragEvent) => {
        if (dragged === null || over === null) return
        event.preventDefault()
        end()
        void attempt(() => queue.move(dragged, over))
      }
    },
    ofRow: (message: QueuedMessage, at: number) => ({
      draggable: !isTouch.value,
      'data-over': (dragged !== null && dragged.id !== message.id && over === at) || undefined,
      onDragStart: ({ dataTransfer, target }: DragEvent) => {
        // Selected text in the field is dragged as text.
        if (target instanceof HTMLElement && target.localName !== 'li') return
        dataTransfer?.setData('text/plain', message.message)
        setDragged(message)
      },
      onDragOver: (event: DragEvent) => {
        if (dragged === null) return
        event.preventDefault()
        setOver(at)
      },
      onDragEnd: end
    })
  }
}

/** Returns a function that restores the focus to the grip of a row, which loses it when the row moves. */
function useFocusAfterMove (list: { current: HTMLOListElement | null }, messages: readonly QueuedMessage[]): (id: string) => void {
  const moved = useRef<string | null>(null)
  useEffect(() => {
    if (moved.current === null) return
    const row = [...list.current?.children ?? []].find((one) => one.getAttribute('data-id') === moved.current)
    row?.querySelector<HTMLElement>('.queue-grip')?.focus()
    moved.current = null
  }, [messages])
  return (id) => { moved.current = id }
}
