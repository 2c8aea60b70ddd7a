import { type Static, Type } from '@sinclair/typebox'
import { type TodoItem } from '../protocol.js'
import { ToolError } from './containment.js'
import { type Tool } from './tool.js'
import { oneLine, plural } from './wording.js'

const Item = Type.Object({
  id: Type.Optional(Type.String({
    minLength: 1, maxLength: 64, description: 'Keep the id of an item that was on the list before. Default: its number.'
  })),
  content: Type.String({ minLength: 1, maxLength: 1000, description: 'What is to be done, in one sentence.' }),
  status: Type.Union([Type.Literal('pending'), Type.Literal('in_progress'), Type.Literal('completed'), Type.Literal('cancelled')])
}, { additionalProperties: false })

const Parameters = Type.Object({
  todos: Type.Array(Item, { maxItems: 100, description: 'The complete list. It replaces the one before; an empty list removes it.' })
}, { additionalProperties: false })

const marks = { pending: '[ ]', in_progress: '[>]', completed: '[x]', cancelled: '[-]' }

export function createTodo (): Tool<typeof Parameters> {
  return {
    name: 'todo',
    description: 'Replaces the list of tasks the user sees for this conversation. Use it for work of three or more steps, and send the whole list again when something changes. ' +
      'At most one item should be in progress.',
    parameters: Parameters,
    risk: 'none',
    targets: () => ({}),
    preview: ({ todos }) => `${plural(todos.length, 'item')}, ${todos.filter(({ status }) => status === 'completed').length} completed`,

    async run ({ todos }, context) {
      if (todos.length > 100) throw new ToolError('The list has more than 100 items. Combine some of them.')
      const items = withIds(todos)
      context.setTodos(items)
      if (items.length === 0) return { text: 'The list is empty now.' }
      return { text: items.map(({ id, content, status }) => `${marks[status]} ${id}: ${oneLine(content, 1000)}`).join('\n') }
    }
  }
}

function withIds (todos: Static<typeof Parameters>['todos']): TodoItem[] {
  const taken = new Set<string>()
  for (const { id } of todos) {
    if (id === undefined) continue
    if (taken.has(id)) throw new ToolError(`Two items have the id "${id}". Give each its own, or leave the ids out.`)
    taken.add(id)
  }
  let number = 0
  return todos.map(({ id, content, status }) => {
    if (id !== undefined) return { id, content, status }
    do number++; while (taken.has(String(number)))
    return { id: String(number), content, status }
  })
}
