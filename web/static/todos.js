import { byId, el } from './dom.js'

const words = { pending: 'to do', in_progress: 'in progress', completed: 'done', cancelled: 'dropped' }

/**
 * Shows the agent's list of tasks, or nothing when there is none.
 * @param {{ todos: Array<{ content: string, status: string }> } | null} state
 */
export function showTodos (state) {
  const panel = byId('todos')
  const todos = state?.todos ?? []
  panel.hidden = todos.length === 0
  const done = todos.filter(({ status }) => status === 'completed').length
  panel.querySelector('summary').textContent = `Tasks: ${done} of ${todos.length} done`
  panel.querySelector('ul').replaceChildren(...todos.map(({ content, status }) =>
    el('li', { class: status }, content, el('span', { class: 'state' }, words[status] ?? status))))
}
