import { Type, type Static } from '@sinclair/typebox'
import { type Answered, type RequestBody, type RequestKind, scheduleChangeForm } from '../requests.js'
import { ToolError } from './containment.js'
import { refuseInvisible } from './lasting-text.js'
import { type ScheduleAccess, type Tool, type ToolResult } from './tool.js'
import { oneLine } from './wording.js'

const None = Type.Object({}, { additionalProperties: false })

export function createScheduleList (): Tool<typeof None> {
  return {
    name: 'schedule_list',
    description: 'Lists the scheduled jobs of the user: when each runs, how its last run went, where results go.',
    parameters: None,
    risk: 'read',
    targets: () => ({}),
    preview: () => 'scheduled jobs',
    run: async (_, { schedules }) => await schedules.list()
  }
}

const Change = Type.Object(scheduleChangeForm, { additionalProperties: false })

/** Changes a job, which runs unattended. The user is shown the job in words, with its next times, and asked each time. */
export function createScheduleChange (): Tool<typeof Change> {
  return {
    name: 'schedule',
    description: 'Makes a job that runs by itself at times, or changes, pauses, resumes or removes one. Only when the user asks for it. ' +
      'The user sees the job and is asked each time. It cannot be used in a run of a job.',
    parameters: Change,
    risk: 'state',
    targets: ({ action }) => ({ schedule: action }),
    preview: ({ action, name, job_id: id, schedule }) =>
      oneLine([action, name ?? id, schedule].filter((part) => part !== undefined).join(' · ')),
    content: ({ prompt }) => prompt ?? '',

    async propose (args, { schedules }) {
      refuseHidden(args)
      const { path, before, after, version, job } = await schedules.text(args)
      return { path, before, after, seen: version, isWhole: true, job }
    },

    async run (args, { schedules, seen }) {
      refuseHidden(args)
      return await schedules.save(args, seen ?? null)
    }
  }
}

function refuseHidden ({ name, prompt }: Static<typeof Change>): void {
  refuseInvisible('name', name)
  refuseInvisible('prompt', prompt)
}

/** Returns a run's access to the scheduled jobs of its profile, which the web tier stores. */
export function scheduleAccess (request: <K extends RequestKind>(what: K, body: RequestBody<K>) => Promise<Answered<K>>): ScheduleAccess {
  return {
    list: async () => resultOf(await request('schedule_list', {})),
    async text (change) {
      const answered = await request('schedule_text', change)
      if ('error' in answered) throw new ToolError(`The scheduled jobs cannot be read: ${answered.error.message}.`)
      if ('problem' in answered.answer) throw new ToolError(answered.answer.problem)
      return answered.answer
    },
    save: async (change, expected) => resultOf(await request('schedule_save', { ...change, expected }))
  }
}

function resultOf (answered: Answered<'schedule_list' | 'schedule_save'>): ToolResult {
  return 'answer' in answered
    ? answered.answer
    : { text: `The scheduled jobs cannot be reached: ${answered.error.message}.`, isError: true }
}
