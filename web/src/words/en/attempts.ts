import { dollarsIn } from '../dollars.js'
import { formatter } from '../formatter.js'

const dollars = dollarsIn('en', 0.01)
const number = formatter(() => new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }))
const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

export const attempts = {
  none: 'No attempts yet',
  noneText: 'Write a task in the message box of a chat, and choose “Try several times” in the menu beside it. Each attempt works in its own copy.',
  all: 'All attempts',
  gone: 'These attempts no longer exist.',
  count: (count: number): string => counted(count, 'attempt', 'attempts'),
  carried: 'Each began with your uncommitted changes.',
  begin: {
    title: 'Try several times',
    note: 'The agent does the same task several times, each time in its own git worktree and chat. You compare the results and take one.',
    noTask: 'Write the task in the message box first.',
    count: 'Number of attempts',
    models: 'Models, used in turn',
    addModel: 'Add a model',
    removeModel: (name: string): string => `Remove ${name}`,
    more: 'Check, reviewer and budget',
    check: 'Check',
    checkHint: 'A command that runs in each result, such as npm test. It runs without asking you, confined like the agent’s commands. Files that git ignores, such as installed packages, are not in the worktree.',
    reviewer: 'Reviewer',
    noReviewer: 'None',
    budget: 'Budget in US dollars',
    budgetHint: 'All attempts together; when it is used up, they stop.',
    go: (count: number): string => `Start ${counted(count, 'attempt', 'attempts')}`
  },
  columns: { attempt: 'Attempt', state: 'State', check: 'Check', changes: 'Changes', cost: 'Cost', tokens: 'Tokens', time: 'Time' },
  name: (position: number, model: string | null): string => model === null ? `Attempt ${position}` : `${position} · ${model}`,
  states: {
    waiting: 'Waiting', running: 'Working', checking: 'Checking', reviewing: 'In review', done: 'Done', failed: 'Failed', cancelled: 'Stopped',
    stopped: 'Budget used up'
  },
  waitsForYou: 'Waiting for you',
  passed: 'Passed',
  failed: 'Failed',
  noCheck: '–',
  files: (count: number): string => counted(count, 'file', 'files'),
  noChange: 'No change',
  cost: (amount: number | null): string => amount === null || amount === 0 ? '–' : dollars(amount),
  tokens: (count: number): string => number.format(count),
  tokensUsed: (count: string): string => `${count} tokens`,
  best: 'Preferred by the judge',
  isTaken: 'Taken',
  judging: 'The judge compares them…',
  judge: 'Judge',
  review: 'Review',
  checkOutput: 'Output of the check',
  answer: 'Answer',
  changes: 'Changes',
  openChat: 'Open chat',
  take: 'Take',
  takeTitle: 'Take this attempt?',
  takeNote: (files: number, folder: string): string =>
    `Its changes in ${counted(files, 'file', 'files')} are applied to ${folder}. Later changes there stay. You can undo this for a week.`,
  took: (files: number): string => `Taken: ${counted(files, 'file', 'files')} changed.`,
  takeFile: 'Take file',
  takeHunk: 'Take hunk',
  undo: 'Undo',
  undone: (files: number): string => `Undone: ${counted(files, 'file', 'files')} changed.`,
  stop: 'Stop all',
  remove: 'Remove worktrees',
  removeTitle: 'Remove the worktrees?',
  removeNote: 'Changes that are neither taken nor committed are lost. The chats stay.',
  removed: 'Worktrees removed.',
  noWorktree: 'Its worktree was removed.',
  kept: (when: string): string => `The worktrees are removed ${when}.`,
  budget: (used: string, limit: string): string => `${used} of ${limit} used`,
  binary: 'Binary file'
}
