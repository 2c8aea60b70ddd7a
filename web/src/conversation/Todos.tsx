import { type Conversation } from '../core/conversation/conversation.js'
import { Disclosure } from '../ui/Disclosure.js'
import { words } from '../words/index.js'

/** Shows the agent's to-do list, collapsed to one line above the box. */
export function Todos ({ conversation }: { conversation: Conversation }) {
  const state = conversation.todos.value
  if (state === null || state.todos.length === 0 || state.summary.completed + state.summary.cancelled === state.summary.total) return null
  const current = state.todos.find(({ status }) => status === 'in_progress')
  return (
    <Disclosure
      class='todos'
      summary={(
        <span>
          {words.value.conversation.todos(state.summary.completed, state.summary.total)}
          {current === undefined ? '' : ` · ${current.content}`}
        </span>
      )}
    >
      <ul>
        {state.todos.map(({ id, content, status }) => (
          <li key={id} data-status={status}>
            <input type='checkbox' disabled checked={status === 'completed'} aria-label={status} /> <bdi>{content}</bdi>
          </li>
        ))}
      </ul>
    </Disclosure>
  )
}
