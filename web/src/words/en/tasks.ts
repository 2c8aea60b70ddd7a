import { dollarsIn } from '../dollars.js'
import { formatter } from '../formatter.js'
import { sayInEnglish } from '../../../../schedules/english.js'
import { type ZonedTime } from '../../tasks/zoned-time.js'

const number = formatter(() => new Intl.NumberFormat('en'))
const day = (date: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }).format(new Date(`${date}T00:00Z`))
const dayMonth = (date: string): string => day(date, { weekday: 'short', day: 'numeric', month: 'short' }).replace(',', '')
const dollars = dollarsIn('en', 0.01)
const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`

export const tasks = {
  create: 'New task',
  isNew: 'new',
  edited: 'not saved',
  ways: { label: 'What starts the work', times: 'At set times', calls: 'When called' },
  list: 'Tasks',
  paused: 'Paused',
  finished: 'Finished',
  back: 'All tasks',
  gone: 'This task no longer exists. Choose another one.',
  allProfiles: 'Show tasks of all profiles',
  empty: 'Nothing is scheduled yet',
  emptyText: 'A task is a message that the agent gets at set times, also while you are away.',
  exampleButton: (name: string): string => `Try one: ${name}`,
  example: {
    name: 'Morning look',
    prompt: 'Look through the folder. What has changed since yesterday, and what needs doing next? Ten lines at most.',
    schedule: 'every weekday morning'
  },
  states: {
    running: 'running', queued: 'queued', paused: 'paused', completed: 'finished', failed: 'failed', undelivered: 'not delivered',
    blocked: 'invalid settings', scheduled: 'on'
  },
  runNow: 'Run now',
  runsAlready: 'It is already running.',
  actionsOf: (name: string): string => `Actions for ${name}`,
  pause: 'Pause',
  resume: 'Resume',
  pausedToast: (name: string): string => `“${name}” paused.`,
  deleted: (name: string): string => `“${name}” deleted.`,
  deleteTitle: 'Delete this task?',
  deleteText: (name: string): string => `Its results are deleted too, and Undo cannot restore them: “${name}”.`,
  skipped: (at: string): string => `Skipped: ${at}.`,
  told: {
    ended: (name: string): string => `“${name}” has run.`,
    failed: (name: string): string => `“${name}” failed.`,
    skipped: (name: string): string => `“${name}” was skipped.`,
    open: 'Show'
  },
  times: (done: number, times: number): string => `${done} of ${times} runs`,
  streak: (runs: number): string => `${runs} times in a row.`,
  toChat: 'Open the latest chat',
  runs: 'Results',
  noRuns: 'No results yet. Each run adds its answer here.',
  moreRuns: (count: number): string => `Show older (${count})`,
  went: 'done',
  used: (tokens: number, cost: number | null): string => cost === null || cost === 0 ? `${number.format(tokens)} tokens` : dollars(cost),
  cost: (run: number, month: number | null): string => `about ${dollars(run)} a run${month === null ? '' : `, ${dollars(month)} a month`}`,
  name: 'Name',
  prompt: 'What should happen?',
  promptPlaceholder: 'Look through the folder and say what needs doing next.',
  promptHint: 'In the message, {{last_output}} stands for the answer of the last run.',
  schedule: 'When?',
  hour: 'Hour',
  meant: 'Did you mean',
  inZone: (zone: string): string => zone === 'UTC' ? 'in UTC' : `in ${zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone} time`,
  once: (at: string): string => `Once, ${at}`,
  weekday: (date: string): string => day(date, { weekday: 'short' }),
  daysLabel: (dates: readonly string[]): string =>
    dates.length === 0 ? 'Does not run in the next two weeks' : `Runs in the next two weeks: ${dates.map(dayMonth).join(', ')}`,
  /** `next`: the first as it comes; the days of others, with the time where it is another one. */
  nextRuns: (next: string, [first, ...rest]: readonly ZonedTime[]): string => {
    const others = rest.map(({ date, time }) => date === first?.date ? time : time === first?.time ? dayMonth(date) : `${dayMonth(date)} at ${time}`)
    return `Next: ${next}${others.length === 0 ? '' : `, then ${listed(others)}`}`
  },
  fiveMore: 'Five more',
  fewer: 'Fewer',
  scheduleRefused: {
    schedule_unclear: 'This is not understood yet. Name days and a time, or an interval: “every weekday morning”, “every 2 hours”.',
    schedule_cron: 'This cron expression cannot be read. It has five parts: minute, hour, day, month and weekday.',
    schedule_never: 'No date matches this.',
    schedule_past: 'This moment has passed. Choose one that lies ahead.'
  },
  /** Describes a schedule in words that parse to the same one. */
  say: sayInEnglish,
  examples: 'Examples',
  scheduleExamples: ['every weekday morning', 'every day at 18:30', 'every other Tuesday at 7', 'on the 1st of each month', 'in two hours'],
  delivery: 'Where does the answer go?',
  deliveries: { local: 'Home', origin: 'One chat', push: 'My devices', webhook: 'Webhook' },
  deliveryNotes: {
    local: 'It stays here, under Results.',
    origin: 'To the chat in which you created this task.',
    push: 'As a notification to every browser that has them on.'
  },
  webhook: 'Address of the webhook',
  webhookHint: 'Each result is sent there as signed JSON.',
  model: 'Model',
  usualModel: 'Default model',
  otherModel: 'Another model…',
  profile: 'Profile',
  thisProfile: 'This one',
  workspace: 'Folder',
  folderTitle: 'Folder for the task',
  usualFolder: 'Default folder',
  otherFolder: 'Another folder…',
  addSkill: 'Add a skill',
  removeSkill: (name: string): string => `Remove the skill ${name}`,
  advanced: 'Advanced',
  cron: 'Cron expression',
  cronHint: 'Minute, hour, day, month, weekday. It replaces the words above.',
  repeat: 'How many times',
  forever: 'No limit',
  ask: 'If it needs approval',
  asks: { wait: 'Wait for me', deny: 'Continue without it' },
  toast: 'Tell me when a run has ended',
  save: 'Save task',
  tryNow: 'Try it now',
  saveAndTry: 'Save and try it now',
  discard: 'Discard changes',
  saved: (name: string): string => `“${name}” saved.`,
  savedNext: (name: string, at: string): string => `“${name}” saved. It runs next ${at}.`
}
