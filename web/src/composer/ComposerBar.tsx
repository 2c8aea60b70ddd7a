import { type Opened } from '../conversation/opened.js'
import { Ring } from '../ui/Ring.js'
import { words } from '../words/index.js'

/** Below the box: what answers, and how much of its memory and of the purse is used. */
export function ComposerBar ({ opened: { conversation } }: { opened: Opened }) {
  const session = conversation.session.value
  const w = words.value.composer
  const percent = session?.window_usage_percent ?? null
  const cost = session?.estimated_cost ?? null
  return (
    <div class='composer-facts'>
      {session?.model == null ? null : <span class='composer-model'><bdi>{session.model}</bdi></span>}
      <span class='composer-gap' />
      {percent === null ? null : <><Ring share={percent / 100} /><span class='composer-share'>{w.context(percent)}{cost === null || cost === 0 ? '' : ` · ${w.cost(cost)}`}</span></>}
    </div>
  )
}
