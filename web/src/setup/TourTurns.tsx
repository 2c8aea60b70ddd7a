import { type Conversation } from '../core/conversation/conversation.js'
import { Icon } from '../ui/Icon.js'
import { Clock, FileText, MessageCircleQuestionMark, Pencil } from '../ui/icons.js'
import { words } from '../words/index.js'

const icons = [Pencil, MessageCircleQuestionMark, FileText, Clock]

/** The turns of the demo's tour, each sent as a message in the reader's language; the service recognises them by their words. */
export function TourTurns ({ conversation }: { conversation: Pick<Conversation, 'send'> }) {
  return (
    <ul class='setup-turns'>
      {words.value.setup.tourTurns.map((text, index) => {
        const icon = icons[index]
        return (
          <li key={text}>
            <button type='button' class='setup-turn' onClick={() => { void conversation.send({ text }) }}>
              {icon === undefined ? null : <Icon of={icon} />} {text}
            </button>
          </li>
        )
      })}
    </ul>
  )
}
