const moment = (at: Date, timeZone?: string): string => {
  const format = (zone?: string): string => new Intl.DateTimeFormat('en-GB', {
    weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit',
    ...(zone === undefined ? {} : { timeZone: zone, timeZoneName: 'short' })
  }).format(at)
  // A time zone unknown to the browser is left out.
  try { return isHere(timeZone) ? format() : format(timeZone) } catch { return format() }
}
const isHere = (zone: string | undefined): boolean => zone === undefined || zone === Intl.DateTimeFormat().resolvedOptions().timeZone
const number = new Intl.NumberFormat('en')

export const tasks = {
  create: 'New task',
  edit: 'Edit',
  editTitle: (name: string): string => `Edit “${name}”`,
  allProfiles: 'Show tasks of all profiles',
  empty: 'No tasks yet',
  emptyText:
    'A task is a message that the agent gets at set times, even when nobody is watching. Its results are kept here, or sent where you ' +
    'want them.',
  exampleButton: (name: string): string => `Try one: ${name}`,
  example: {
    name: 'Morning overview',
    prompt: 'Look through the workspace. What has changed since yesterday, and what needs doing next? Ten lines at most.',
    schedule: 'weekdays 9:00'
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
  pausedToast: (name: string): string => `“${name}” is paused.`,
  deleted: (name: string): string => `“${name}” is deleted.`,
  deleteTitle: 'Delete this task?',
  deleteText: (name: string): string => `The results of “${name}” are deleted with it, and cannot be restored.`,
  next: (at: Date, zone: string): string => `next ${moment(at, zone)}`,
  last: (at: Date, zone: string): string => `last ${moment(at, zone)}`,
  at: (at: Date): string => moment(at),
  skipped: (at: Date, zone: string): string => `Skipped: ${moment(at, zone)}`,
  interval: (minutes: number): string => {
    const [count, unit] = minutes % 1_440 === 0
      ? [minutes / 1_440, 'day']
      : minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute']
    return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`
  },
  told: {
    ended: (name: string): string => `“${name}” has run.`,
    failed: (name: string): string => `“${name}” failed.`,
    skipped: (name: string): string => `“${name}” was skipped.`,
    open: 'Show'
  },
  neverRan: 'has not run yet',
  times: (done: number, times: number): string => `${done} of ${times} runs`,
  streak: (runs: number): string => `${runs} times in a row.`,
  toChat: 'Latest run',
  runs: 'Results',
  noRuns: 'No results yet. Each run adds its answer here.',
  moreRuns: (count: number): string => `Show older (${count})`,
  used: (tokens: number, cost: number | null): string =>
    `${number.format(tokens)} tokens${cost === null ? '' : `, $${cost.toFixed(cost < 0.1 ? 4 : 2)}`}`,
  name: 'Name',
  prompt: 'What to do',
  promptHint: '{{last_output}} stands for the answer of the last run.',
  schedule: 'When',
  scheduleHint: 'Days and a time, an interval, a moment, or a cron expression.',
  scheduleKinds: {
    interval: 'Repeated at this interval, counted from when you save it.',
    days: 'On these days at this time, in the time zone of the profile.',
    cron: 'A cron expression: minute, hour, day, month, weekday.',
    once: 'Runs once.'
  },
  scheduleRefused: {
    schedule_unclear:
      'This schedule is not understood. Name days and a time, such as “every weekday morning” or “mon and fri at 14:00”, or an interval, ' +
      'such as “every 2 hours”.',
    schedule_cron: 'This cron expression cannot be read. It has five parts: minute, hour, day, month and weekday.',
    schedule_never: 'No date matches this.',
    schedule_past: 'This moment has passed. Choose one that lies ahead.'
  },
  nextRuns: (runs: readonly Date[], zone: string): string => runs.length === 0
    ? 'No date matches this.'
    : `${runs.length === 1 ? 'Runs' : 'Next runs:'} ${runs.map((at) => moment(at, zone)).join(' · ')}`,
  examples: 'Examples',
  scheduleExamples: ['every weekday morning', 'every day at 18:30', 'every 2h', 'mon and fri at noon', 'in 20 minutes', '0 6 1 * *'],
  moreSettings: 'More settings',
  delivery: 'Where the answer goes',
  deliveries: { local: 'Kept here', origin: 'To the chat in which it was created', push: 'To subscribed browsers', webhook: 'To a webhook' },
  webhook: 'Address of the webhook',
  webhookHint: 'Each result is sent there as signed JSON.',
  model: 'Model',
  usualModel: 'The profile’s default',
  profile: 'Profile',
  thisProfile: 'This one',
  workspace: 'Folder',
  folderTitle: 'Folder for the task',
  usualFolder: 'The default folder',
  repeat: 'How many times',
  forever: 'No limit',
  skills: 'Skills',
  ask: 'Its questions wait for me',
  askHint: 'Otherwise, anything that a run would ask about is denied.',
  toast: 'Tell me when a run has ended',
  saved: (name: string): string => `“${name}” is saved.`,
  savedNext: (name: string, at: Date, zone: string): string => `“${name}” is saved. It runs next ${moment(at, zone)}.`
}
