import { Type } from '@sinclair/typebox'
import { type Tool } from './tool.js'
import { oneLine } from './wording.js'

const Parameters = Type.Object({
  question: Type.String({ minLength: 1, maxLength: 2000, description: 'The question, with what the user needs to know to answer it.' }),
  choices: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
    maxItems: 8, description: 'Answers to choose from, the recommended one first. The user may also answer freely.'
  }))
}, { additionalProperties: false })

export function createClarify (): Tool<typeof Parameters> {
  return {
    name: 'clarify',
    description: 'Asks the user a question and waits for the answer. Use it only when the answer changes what you do and cannot be found out otherwise.',
    parameters: Parameters,
    risk: 'none',
    targets: () => ({}),
    preview: ({ question }) => oneLine(question),

    async run ({ question, choices = [] }, context) {
      const answer = await context.clarify({ question, choices })
      if (answer === null) {
        return {
          text: 'Nobody answered in time. Do not ask again in this turn: go on with the assumption that is best and easiest to undo, and say which one you made; ' +
            'if going on without an answer could do harm, stop and explain what you need.'
        }
      }
      return {
        text: answer.trim() === '' ? 'The user sent an empty answer: go on with your best assumption.' : `The user answered: ${answer}`
      }
    }
  }
}
