/** By which comments name the plan, in the place of a file of the workspace. */
export const planPath = 'plan:plan.md'
