import { type Conversation } from '../core/conversation.js'
import { Button } from '../ui/Button.js'
import { words } from '../words/index.js'

/** An empty page: what can be said here, by examples that can be clicked. */
export function Welcome ({ conversation }: { conversation: Conversation }) {
  const w = words.value.conversation
  return (
    <div class='welcome'>
      <h2>{w.empty}</h2>
      <div class='welcome-examples'>
        {w.examples.map((text) => <Button key={text} onClick={() => { void conversation.send({ text }) }}>{text}</Button>)}
      </div>
    </div>
  )
}
