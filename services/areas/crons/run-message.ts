import { usualRetention, type CronsContext } from './context.js'
import { type JobRow } from './job-rows.js'
import { type EarlierOutput } from '../../ground/quoted-material.js'
import { messageOf, type RunMessage } from './message.js'
import { listOutput, readOutput } from './output.js'
import { responseIn } from './report.js'

/** Composes the message of a run: the job's prompt, the earlier answers that it names, and its skills. */
export function createRunMessages ({ jobs, skills, existingHome }: Pick<CronsContext, 'jobs' | 'skills' | 'existingHome'>) {
  async function earlierOutput (job: JobRow, name: string | undefined): Promise<EarlierOutput | null> {
    const id = name === undefined ? job.id : jobs.named(job.profile, name)
    if (id === undefined) return null
    const home = existingHome(job.profile)
    for (const { filename } of (await listOutput(home, id)).slice(0, usualRetention)) {
      const text = responseIn(await readOutput(home, id, filename).catch(() => ''))
      if (text !== null) return { job: jobs.find(id)?.name ?? id, text }
    }
    return null
  }

  async function withSkills (profile: string, names: readonly string[], request: string) {
    const { loaded, ...found } = await skills.invoke(profile, names, request)
    for (const name of loaded) skills.note(profile, name, 'use')
    return found
  }

  return async (job: JobRow, request: string | null): Promise<RunMessage> => await messageOf({ ...job, prompt: request ?? job.prompt }, {
    earlier: (name) => earlierOutput(job, name),
    withSkills: (names, request) => withSkills(job.profile, names, request)
  })
}
