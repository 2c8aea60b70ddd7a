import { Type } from '@sinclair/typebox'
import { mostPlanChars } from '../plan-steps.js'
import { type Tool } from './tool.js'
import { plural } from './wording.js'

const Parameters = Type.Object({
  plan: Type.String({
    minLength: 1, maxLength: mostPlanChars,
    description: 'The whole plan in Markdown: its title as a heading, what is to be achieved and what you found, and the steps as a task list (- [ ] …).'
  }),
  version: Type.Optional(Type.Integer({
    minimum: 1, description: 'The version that this takes the place of, where the user has edited the plan. Not needed otherwise.'
  }))
}, { additionalProperties: false })

/** Writes the plan, the only document that is written in plan mode: the user reads it, edits it and starts it. */
export function createWritePlan (): Tool<typeof Parameters> {
  return {
    name: 'write_plan',
    description: 'Writes the plan that the user sees beside this conversation, in the place of the one before. They edit it, comment on its lines, and start it; nothing is done before.',
    parameters: Parameters,
    risk: 'none',
    targets: () => ({}),
    preview: ({ plan }) => `${firstLine(plan)}, ${plural(plan.split('\n').length, 'line')}`,
    run: async ({ plan, version }, { savePlan }) => await savePlan(plan, version ?? null)
  }
}

const firstLine = (plan: string): string => (/[^\s#].*/.exec(plan)?.[0] ?? 'Plan').slice(0, 80)
