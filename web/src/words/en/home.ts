const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

export const home = {
  greeting: (hour: number): string => hour < 5 ? 'Good evening.' : hour < 12 ? 'Good morning.' : hour < 18 ? 'Good afternoon.' : 'Good evening.',
  since: 'Since you were away:',
  waiting: (count: number): string => `${count} waiting`,
  finished: (count: number): string => `${count} finished`,
  filesChanged: (count: number): string => counted(count, 'file changed', 'files changed'),
  between: ', ',
  end: '.',
  quiet: 'All quiet. What shall we work on?',
  ask: 'What shall we work on?',
  temporary: 'Temporary chat'
}

/** Texts below the composer on the start page. */
export const homeRows = {
  waiting: 'Waiting for you',
  finished: 'Finished',
  now: 'Running',
  markSeen: 'Mark all as seen',
  showAll: (count: number): string => `Show all ${count}`,
  states: { done: 'finished', failed: 'failed', stopped: 'stopped' },
  failedTask: 'Task failed',
  files: (count: number): string => counted(count, 'file', 'files'),
  queued: (count: number): string => `${counted(count, 'run', 'runs')} queued`,
  review: 'Review',
  answer: 'Answer',
  open: 'Open',
  tryOne: 'For example',
  examples: [
    'Show me what is in this folder, and what each part is for.',
    'Find something here that could be simpler, and show me the change before you make it.',
    'Every weekday morning, tell me in ten lines what changed since yesterday.'
  ]
}
