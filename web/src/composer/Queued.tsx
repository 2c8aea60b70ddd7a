import { useRef } from 'preact/hooks'
import { type OpenChat } from '../conversation/open-chat.js'
import { type Part } from '../core/turn/turn.js'
import { lazy } from '../ui/lazy.js'
import { words } from '../words/index.js'

const QueueList = lazy(async () => (await import('./QueueList.js')).QueueList, { waiting: null })

const noteOf = (key: string, part: Part): Array<{ key: string, text: string }> => part.kind === 'note' && !part.isTaken
  ? [{ key, text: part.text }]
  : []

/** Lists messages that the agent has not read yet: notes for its next step, and the queue of the chat. */
export function Queued ({ opened }: { opened: OpenChat }) {
  const { conversation } = opened
  // The list stays after the last message has left: one may still be edited in it, or be about to leave.
  const hasQueued = useRef(false)
  if ((conversation.session.value?.queued_count ?? 0) > 0) hasQueued.current = true
  const notes = conversation.running.value === null
    ? []
    : (conversation.transcript.exchanges.value.at(-1)?.parts.value ?? []).flatMap(({ key, part }) => part.peek().kind === 'note'
        ? noteOf(key, part.value)
        : [])
  return (
    <>
      {notes.length === 0
        ? null
        : (
          <ul class='composer-notes' aria-label={words.value.composer.notes}>
            {notes.map(({ key, text }) => (
              <li key={key}><bdi>{text}</bdi> <span class='bubble-mark'>{words.value.conversation.noteComing}</span></li>
            ))}
          </ul>)}
      {hasQueued.current ? <QueueList opened={opened} /> : null}
    </>
  )
}
