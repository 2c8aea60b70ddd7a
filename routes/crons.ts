import { type FastifyInstance } from 'fastify'
import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static } from '@sinclair/typebox'
import {
  CreateCron, CronAnswer, CronList, CronPreview, CronRef, CronsQuery, DeletedCron, DeliveryOptions, PauseCron, PreviewCron, RunCron,
  UpdateCron
} from '../schemas/crons.js'
import { readerOf } from '../services/areas/auth/index.js'
import { scheduleToWire, scheduleWords, type JobRow } from '../services/areas/crons/index.js'
import { conflicts, errors, isOn } from '../schemas/common.js'
import { results } from './crons-results.js'
import { sendFinished } from './shared/sending.js'
import { tagged } from './shared/tagged.js'

const previewedRuns = 5

/** Scheduled jobs, and then their runs and results. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('schedules'))
  await app.register(listing)
  await app.register(changing)
  await app.register(running)
  await app.register(results)
}
export default plugin

const listing: FastifyPluginAsyncTypebox = async (app) => {
  const { crons } = app

  app.get('/api/crons', {
    config: { scope: 'read', finishedBytes: true },
    schema: {
      summary: 'List scheduled jobs',
      description: '`all_profiles` includes those of every profile; `other_profile_count` counts those of other profiles. `GET ' +
        '/api/events` reports changes as `cron` frames.',
      querystring: CronsQuery,
      response: { 200: CronList, ...errors(400) }
    }
  }, async (request, reply) => {
    const profile = request.activeProfile()
    const allProfiles = isOn(request.query.all_profiles)
    const beside = { active_profile: profile, all_profiles: allProfiles, other_profile_count: crons.elsewhere(profile) }
    await sendFinished(
      reply, `{"jobs":${await crons.list(allProfiles ? null : profile, readerOf(request.operator))},${JSON.stringify(beside).slice(1)}`
    )
  })

  app.get('/api/crons/delivery-options', {
    config: { scope: 'read' },
    schema: {
      summary: 'List the places to which results of jobs can be delivered',
      description: 'Values for `deliver`. `push` is listed only where Web Push works; complete `webhook:` with an address.',
      response: { 200: DeliveryOptions }
    }
  }, async () => ({
    platforms: [
      { value: 'local', label: 'Local (kept here)' },
      { value: 'origin', label: 'The conversation it was made in (made elsewhere: kept here)' },
      ...(app.push.publicKey() === null
        ? []
        : [{ value: 'push', label: `Web Push (${app.push.count() === 1 ? '1 browser' : `${app.push.count()} browsers`})` }]),
      { value: 'webhook:', label: 'Webhook (webhook:<url>)' }
    ]
  }))
}

const changing: FastifyPluginAsyncTypebox = async (app) => {
  const { crons } = app

  app.post('/api/crons/create', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Create a scheduled job',
      description: '`schedule` is in words (`every weekday at 9:00`), an interval (`30m`), a cron expression or a time. 400 with a code ' +
        '(`schedule_unclear`, `schedule_cron`, `schedule_past`, `schedule_never`) says why it cannot be read. Calls of a run that need ' +
        'an approval are refused, unless `ask` is `wait`. Send a `client_id` to be able to repeat the request safely.',
      body: CreateCron,
      response: { 200: CronAnswer, ...errors(400, 404, 503), ...conflicts('client_id_reused', 'config_broken', 'uncoded') }
    }
  }, async (request) => {
    const { client_id: clientId, ...asked } = request.body
    const profile = request.profileCalled(asked.profile)
    const job = { ...fieldsOf(asked), prompt: asked.prompt, schedule: asked.schedule, origin: asked.session_id, profile }
    return await app.idempotency.once<Static<typeof CronAnswer>>({ of: { profile }, clientId, operation: 'crons/create', asked },
      async (keep) => answer(app, await crons.create(job, (made) => keep(answer(app, made)))))
  })

  app.post('/api/crons/preview', {
    config: { scope: 'read' },
    schema: {
      summary: 'Preview a schedule, before a job is created',
      description: 'The meaning of a schedule, its next runs and the days of the next two weeks on which it runs, or the same 400 as ' +
        'creating the job. Stores nothing.',
      body: PreviewCron,
      response: { 200: CronPreview, ...errors(400) }
    }
  }, async (request) => {
    const { schedule: text, profile, count } = request.body
    const { schedule, nextRuns, days } = await crons.preview(request.profileCalled(profile), text, count ?? previewedRuns)
    return { ok: true as const, schedule: scheduleToWire(schedule), schedule_display: scheduleWords(schedule), next_runs: nextRuns, days }
  })

  app.post('/api/crons/update', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Change the given fields of a scheduled job',
      description: 'Fields that are absent or null are not changed; an empty `model` or `provider` is removed. An unchanged `schedule` ' +
        'keeps its next run. `enabled` pauses or resumes. 404: unknown job; 400 as for creating one.',
      body: UpdateCron,
      response: { 200: CronAnswer, ...errors(400, 404, 503), ...conflicts('config_broken', 'uncoded') }
    }
  }, async (request) => {
    const { body } = request
    const fields = fieldsOf(body)
    return answer(app, await crons.update(body.job_id, typeof body.profile === 'string'
      ? { ...fields, profile: request.profileCalled(body.profile) }
      : fields))
  })

  app.post('/api/crons/delete', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Delete a scheduled job and its output',
      description: 'This cannot be undone. 404: unknown job.',
      body: CronRef,
      response: { 200: DeletedCron, ...errors(400, 404) }
    }
  }, async ({ body: { job_id: id } }) => {
    await crons.remove(id)
    return { ok: true as const, job_id: id }
  })
}

const running: FastifyPluginAsyncTypebox = async (app) => {
  const { crons } = app

  app.post('/api/crons/run', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Run a job now',
      description: 'Starts a run outside the schedule and returns at once; `GET /api/crons/status` tells when it ends. `ok: false` with ' +
        '`already_running`: the job is already running. 404: unknown job.',
      body: CronRef,
      response: { 200: RunCron, ...errors(400, 404), ...conflicts('uncoded') }
    }
  }, async ({ body: { job_id: id } }) => {
    const already = await crons.run(id)
    return already === null
      ? { ok: true, job_id: id, status: 'running' as const }
      : { ok: false, job_id: id, status: 'already_running' as const, elapsed: already.elapsedS }
  })

  app.post('/api/crons/pause', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Pause a scheduled job',
      description: 'No run starts until the job is resumed; a running one continues. 400 for a completed job. 404: unknown job.',
      body: PauseCron,
      response: { 200: CronAnswer, ...errors(400, 404) }
    }
  }, async ({ body }) => answer(app, await crons.pause(body.job_id, body.reason ?? null)))

  app.post('/api/crons/resume', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Resume a scheduled job from its next scheduled time',
      description: 'Missed runs are not caught up. 400 for a completed job. 404: unknown job.',
      body: CronRef,
      response: { 200: CronAnswer, ...errors(400, 404) }
    }
  }, async ({ body }) => answer(app, await crons.resume(body.job_id)))
}

const answer = ({ crons }: FastifyInstance, job: JobRow): Static<typeof CronAnswer> => ({ ok: true, job: crons.shown(job) })

function fieldsOf (body: Omit<Static<typeof UpdateCron>, 'job_id'>) {
  const {
    toast_notifications: toast, workdir, workspace = workdir, prompt, schedule, name, deliver, skills, model, provider, profile, repeat,
    ask, enabled
  } = body
  return { toast, workspace, prompt, schedule, name, deliver, skills, model, provider, profile, repeat, ask, enabled }
}
