import { CornerDownLeft } from 'lucide-preact'
import { type Draft } from '../core/drafts.js'
import { Button } from '../ui/Button.js'
import { words } from '../words/index.js'

/** Messages that wait for the end of the turn. */
export function Queued ({ draft }: { draft: Draft }) {
  const queued = draft.queued.value
  if (queued.length === 0) return null
  const w = words.value.composer
  return (
    <ul class='composer-queued' aria-label={w.queued}>
      {queued.map((text, index) => (
        <li key={index}>
          <bdi>{text}</bdi>
          <Button kind='quiet' size='small' icon={CornerDownLeft} label={w.unqueue} onClick={() => { const taken = draft.dropQueued(index); if (taken !== null) draft.giveBack(taken) }} />
        </li>
      ))}
    </ul>
  )
}
