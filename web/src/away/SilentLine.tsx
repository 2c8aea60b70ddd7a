import { useEffect, useRef } from 'preact/hooks'
import { type Conversation } from '../core/conversation/conversation.js'
import { refreshHome, type Home } from '../home/store.js'
import { Icon } from '../ui/Icon.js'
import { Hourglass } from '../ui/icons.js'
import { saySilent } from './say.js'
import { useNow } from './use-now.js'
import './silent-line.css'

const drawnMs = 1_000
const askedAgainMs = 2_000

const isEqual = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((part, index) => part === other[index])

/** Shows above the box what a turn waits for that has been silent for long; disappears as soon as the turn says something. */
export function SilentLine ({ conversation, silent }: {
  conversation: Conversation
  silent: NonNullable<Home['running'][number]['silent']>
}) {
  const nowS = useNow()
  const said = (conversation.transcript.exchanges.value.at(-1)?.parts.value ?? []).map(({ part }) => part.value)
  const latest = useRef(said)
  latest.current = said
  /** The parts of the turn when it was reported silent; null until the chat is drawn. */
  const before = useRef<typeof said | null>(null)
  useEffect(() => {
    before.current = null
    const timer = setTimeout(() => { before.current = latest.current }, drawnMs)
    return () => clearTimeout(timer)
  }, [silent])
  // The service is asked only occasionally, but new parts of the turn arrive here at once.
  const isSame = before.current === null || isEqual(before.current, said)
  // The change may only be a late drawing of a turn that is still silent, so the service is asked again.
  useEffect(() => {
    if (isSame) return
    const timer = setTimeout(() => { void refreshHome() }, askedAgainMs)
    return () => clearTimeout(timer)
  }, [isSame])
  return (
    <div role='status'>
      {isSame ? <p class='silent-line'><Icon of={Hourglass} /><bdi>{saySilent(silent, nowS)}</bdi></p> : null}
    </div>
  )
}
