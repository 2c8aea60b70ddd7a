import { sayWith } from '../../../reasons/say.js'
import { type EventPart } from '../core/turn/turn.js'
import { language, screenWords } from '../words/index.js'

/** Describes an event of a turn: in the service's words if the language is English, else by its code if the app has words for it. */
export function EventText ({ part: { type, text, reason } }: { part: Pick<EventPart, 'type' | 'text' | 'reason'> }) {
  if (language.value === 'en') return <>{text}</>
  const { reasons, chat } = screenWords.value
  if (reason !== null && Object.hasOwn(reasons, reason.code)) return <>{sayWith(reasons, reason)}</>
  const said = Object.entries(chat.events).find(([code]) => code === type)
  return <>{said?.[1] ?? text}</>
}
