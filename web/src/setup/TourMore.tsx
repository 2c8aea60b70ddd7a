import { useEffect, useState } from 'preact/hooks'
import { type Conversation } from '../core/conversation/conversation.js'
import { Button } from '../ui/Button.js'
import { KeyRound } from '../ui/icons.js'
import { words } from '../words/index.js'
import { ConnectModel } from './ConnectModel.js'
import { demoProvider } from '../models/shown-name.js'
import { isDemo } from './demo.js'
import { TourTurns } from './TourTurns.js'

/** Shown below an answer of the demo: the rest of the tour, and the card that connects a model. */
export function TourMore ({ conversation }: { conversation: Conversation }) {
  const [isConnecting, setConnecting] = useState(false)
  const isIdle = conversation.mode.value === 'idle'
  useEffect(() => { if (!isIdle) setConnecting(false) }, [isIdle])
  const w = words.value.setup
  // The card stays after connecting a model, to report that.
  if (isIdle && isConnecting) {
    return <div class='setup'><ConnectModel conversation={conversation} onLater={() => setConnecting(false)} /></div>
  }
  const session = conversation.session.value
  const isOfDemo = session !== null && session.read_only !== true && [null, undefined, '', demoProvider].includes(session.model_provider)
  if (!isIdle || !isOfDemo || isDemo.value !== true) return null
  return (
    <section class='setup-more' aria-labelledby='setup-more'>
      <h2 id='setup-more'>{w.tourMore}</h2>
      <TourTurns conversation={conversation} />
      <div><Button icon={KeyRound} onClick={() => setConnecting(true)}>{w.title}</Button></div>
    </section>
  )
}
