const rule = 'Plan mode is on. Read what you need; change nothing: calls that would are refused, whoever has allowed them before.'

/** How the plan is written: with our tool, as the answer, or by another turn, for which this one only reads. */
type How = 'tool' | 'answer' | 'not here'

/** Returns what a model is told about plan mode in each turn. `plan`: the document after a person's last edit. */
export function planInstructions ({ plan, how }: { plan?: { version: number, text: string } | undefined, how: How }): string {
  if (how === 'not here') return rule
  return [
    `${rule} Ask the user what only they can tell.`,
    `When you know enough, ${how === 'tool' ? 'write the plan with write_plan' : 'answer with the plan'}: Markdown that a person reads and edits, with a title, ` +
      'what is to be achieved, what you found, and the steps in their order as a task list (- [ ] …), each small enough to be done and checked by itself.',
    'The user starts the plan; you do not begin with it, and you do not ask whether you may.' +
      (how === 'tool' ? ' After writing it, end with a sentence or two; do not repeat it.' : ''),
    ...plan === undefined ? [] : [`The user has edited the plan. This is version ${plan.version}, as it is now:\n\n<plan>\n${plan.text}\n</plan>`]
  ].join('\n')
}
