import { type Conversation } from '../core/conversation/conversation.js'
import { type Draft } from '../core/composer/drafts.js'
import { type Part } from '../core/turn/turn.js'
import { Button } from '../ui/Button.js'
import { CornerDownLeft } from '../ui/icons.js'
import { words } from '../words/index.js'

const noteOf = (key: string, part: Part): Array<{ key: string, text: string }> => part.kind === 'note' && !part.isTaken
  ? [{ key, text: part.text }]
  : []

/** Lists what was typed during the running turn and is not read yet: notes for the agent's next step, and queued messages. */
export function Queued ({ draft, conversation }: { draft: Draft, conversation: Conversation }) {
  const queued = draft.queued.value
  const notes = conversation.running.value === null
    ? []
    : (conversation.transcript.exchanges.value.at(-1)?.parts.value ?? []).flatMap(({ key, part }) => part.peek().kind === 'note'
        ? noteOf(key, part.value)
        : [])
  if (queued.length === 0 && notes.length === 0) return null
  const w = words.value.composer
  return (
    <ul class='composer-queued' aria-label={w.queued}>
      {notes.map(({ key, text }) => (
        <li key={key}><bdi>{text}</bdi> <span class='bubble-mark'>{words.value.conversation.noteComing}</span></li>
      ))}
      {queued.map((text, index) => (
        <li key={index}>
          <bdi>{text}</bdi>
          <Button
            kind='quiet' size='small' icon={CornerDownLeft} label={w.unqueue}
            onClick={() => { const taken = draft.dropQueued(index); if (taken !== null) draft.giveBack(taken) }}
          />
        </li>
      ))}
    </ul>
  )
}
