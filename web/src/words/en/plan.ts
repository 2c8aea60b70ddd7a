const counted = (count: number): string => `${count} ${count === 1 ? 'step' : 'steps'}`

export const plan = {
  mode: 'Plan mode',
  modeNote: 'The agent reads and asks. It changes nothing until you start its plan.',
  steps: (title: string, count: number): string => `${title === '' ? 'The plan' : title} · ${counted(count)}`,
  open: 'Open plan',
  go: 'Go',
  noSteps: 'The plan has no steps. Write them as a task list: - [ ] …',
  none: 'No plan yet.',
  noneNote: 'Turn on plan mode below the message box and describe the task. Or write the plan yourself.',
  write: 'Write a plan',
  edit: 'Edit',
  text: 'The plan in Markdown',
  version: (version: number, author: 'agent' | 'person'): string => `Version ${version}, ${author === 'agent' ? 'by the agent' : 'edited by you'}`,
  started: 'Started',
  comment: (line: number): string => `Comment on line ${line}`,
  changedMeanwhile: 'The plan has changed since you began. Your text is still here.',
  refused: {
    plan_changed: 'The plan has changed in the meantime. Your text is still here.',
    plan_started: 'The plan was started already, on another device.',
    agent_running: 'The agent is working. Start the plan when it is done.'
  } as Record<string, string>
}
