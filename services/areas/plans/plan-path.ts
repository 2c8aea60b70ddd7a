/** The name by which comments refer to the plan, instead of a file of the workspace. */
export const planPath = 'plan:plan.md'
