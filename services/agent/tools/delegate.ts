import { Type } from '@sinclair/typebox'
import { type Tool } from './tool.js'
import { oneLine } from './wording.js'

const Parameters = Type.Object({
  task: Type.String({
    minLength: 1, maxLength: 20_000,
    description: 'What is to be done, complete in itself: the sub-agent sees nothing of this conversation. Say what it should answer.'
  })
}, { additionalProperties: false })

export function createDelegate (): Tool<typeof Parameters> {
  return {
    name: 'delegate',
    description: 'Lets a sub-agent work on one task in the same workspace, in a conversation of its own, and returns its answer. ' +
      'Good for work that needs much reading and a short answer, or for independent tasks side by side: several calls in one step run at the same time. ' +
      'What the sub-agent does is subject to the same permissions.',
    parameters: Parameters,
    // Delegating touches nothing; each call of the sub-agent is judged separately.
    risk: 'none',
    targets: () => ({}),
    preview: ({ task }) => oneLine(task),

    run: async ({ task }, context) => await context.delegate(task)
  }
}
