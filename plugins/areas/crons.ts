import { randomBytes } from 'node:crypto'
import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type cronFrames } from '../../schemas/crons.js'
import { answerRuns, createCrons, type CronChange, type Crons } from '../../services/areas/crons/index.js'
import { epochSeconds } from '../../services/ground/time/clock.js'
import { createQueue } from '../../services/ground/concurrency/queue.js'
import { framesOf } from '../../services/ground/events/index.js'
import { regularly } from '../ground/regularly.js'

declare module 'fastify' {
  interface FastifyInstance { crons: Crons }
}

const frame = framesOf<typeof cronFrames>()
const sweepEveryMs = 3_600_000
/** The key that signs what is sent to webhooks, a variable in the `.env` of the profile. */
const secretVariable = 'CRON_WEBHOOK_SECRET'

/** Scheduled jobs. */
export default fp(async (app: FastifyInstance) => {
  const { audit, db, clock, config, events, chat, idempotency, profiles, push, sessions, settings, skills, usage, workspace } = app
  const inTurn = createQueue()
  const crons = createCrons({
    db,
    clock,
    audit,
    sessions,
    usageLog: usage,
    chat,
    skills,
    configOf: (profile) => profiles.get(profile) === undefined ? undefined : profiles.settings(profile).config,
    timezoneOf: (profile) => profiles.get(profile) === undefined ? undefined : profiles.settings(profile).configAsWritten.timezone,
    homeOf: (profile) => profiles.get(profile)?.home,
    folder: workspace.folder,
    defaultFolder: () => workspace.defaultFolder,
    secretOf: async (profile) => await inTurn(profile, async () => {
      const known = profiles.settings(profile).env[secretVariable]
      if (known !== undefined && known !== '') return known
      const made = randomBytes(32).toString('hex')
      await profiles.setVariable(profile, secretVariable, made)
      return made
    }),
    isPrivateAllowed: config.webhookPrivate,
    isBusy: (sessionId) => sessions.status(sessionId).active_stream_id !== null,
    ring: ({ id, name, profile }, { sessionId, status }, everybody) =>
      push.tell({ kind: 'job', title: name, profile, sessionId, jobId: id, status }, { everybody }),
    areShown: () => settings.values().show_cron_sessions,
    told: (change) =>
      events.publish({ kind: 'notice', id: 'all' }, () => frame('cron', sessions.shown(changeToWire(change, epochSeconds(clock))))),
    log: (message, details) => app.log.warn(details, message)
  })
  app.decorate('crons', crons)
  answerRuns(crons, app.agent, clock.now.bind(clock))
  const later = (work: Promise<void>): void => {
    work.catch((error: unknown) => app.log.warn({ reason: String(error) }, 'scheduled jobs could not be updated'))
  }
  profiles.on('removing', (name) => crons.leaving(name))
  // Before the home is removed, so that a kill cannot come in between; and again for a home that was removed by hand.
  const forgetRequests = async (profile: string): Promise<void> => await idempotency.forget({ profile })
  profiles.on('removing', forgetRequests)
  profiles.on('listed', (name) => {
    if (profiles.get(name) === undefined) later(forgetRequests(name))
    later(crons.profileChanged(name))
  })
  profiles.on('changed', (name) => later(crons.profileChanged(name)))
  settings.on('changed', (keys) => { if (keys.includes('show_cron_sessions')) later(crons.show(settings.values().show_cron_sessions)) })
  app.addHook('onReady', async () => later(crons.start()))
  regularly(app, sweepEveryMs, 'scheduled jobs could not be cleaned up', () => crons.sweep())
  app.addHook('onClose', async () => await crons.stop())
}, {
  name: 'crons', dependencies: [
    'audit', 'config', 'database', 'events', 'idempotency', 'profiles', 'settings', 'sessions', 'skills', 'workspace', 'usage', 'agent', 'chat', 'push'
  ]
})

function changeToWire ({ jobId, job, event, run }: CronChange, at: number) {
  return {
    job_id: jobId,
    profile: job?.profile ?? null,
    name: job?.name ?? null,
    event,
    status: run?.status ?? null,
    session_id: run?.sessionId ?? null,
    toast: job?.toast === true && (event === 'ended' || event === 'skipped'),
    at
  }
}
