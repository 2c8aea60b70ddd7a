import { type FastifyPluginAsyncTypebox, type Static } from '@fastify/type-provider-typebox'
import { errors, isOn } from '../schemas/common.js'
import { ApplyUpdate, CheckForUpdates, UpdateApplied, UpdateCheck, UpdateCheckQuery } from '../schemas/updates.js'
import { Forbidden } from '../services/ground/errors.js'
import { isLoopback } from '../services/ground/network/loopback.js'
import { tagged } from './shared/tagged.js'

type Answer = Static<typeof UpdateCheck>
const disabled = { disabled: true } as const
/** The agent is part of the service; clients that ask for it always find it up to date. */
const agent = { name: 'agent', ignored: true, behind: 0, message: 'The agent is part of this service and is updated with it' } as const
const invented: Answer = {
  webui: {
    name: 'webui', behind: 3, current_sha: '1'.repeat(40), latest_sha: '2'.repeat(40), branch: 'main', dirty: false,
    repo_url: 'https://example.com/agent-web-service',
    compare_url: `https://example.com/agent-web-service/compare/${'1'.repeat(40)}...${'2'.repeat(40)}`
  },
  agent, include_agent: false, channel: 'stable', cached: true, simulated: true
}

/** New versions of this service. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('updates'))
  const { updates, clock, settings } = app

  app.get('/api/updates/check', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the result of the last check for a new version',
      description: 'Contacts no server. `{disabled: true}` while checks are off; `checked_at: 0` before the first check.',
      querystring: UpdateCheckQuery,
      response: { 200: UpdateCheck, ...errors(400, 403) }
    }
  }, async ({ ip, query }) => {
    if (isOn(query.simulate)) {
      if (!isLoopback(ip)) throw new Forbidden('This is only possible from the machine of the service')
      return { ...invented, checked_at: clock.now() / 1000 }
    }
    const seen = updates.last()
    return seen === null
      ? disabled
      : { ...answer(seen), cached: true as const, ...(seen.otherChannel ? { stale_channel: true as const } : {}) }
  })

  app.post('/api/updates/check', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Check for a new version',
      description: 'A result younger than 30 minutes is reused unless `force` is set. `behind: null` with `error`: the ' +
        'remote could not be reached.',
      body: CheckForUpdates,
      response: { 200: UpdateCheck, ...errors(400) }
    }
  }, async ({ body }) => {
    const seen = await updates.check({ force: body.force ?? false, channel: body.channel ?? null })
    return seen === null ? disabled : answer(seen)
  })

  app.post('/api/updates/apply', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Update to the newest version and restart',
      description: 'Always 200: `ok` says whether it worked, `message` why not. `restart_blocked`: turns are running that the restart ' +
        'would end; with `wait` the update begins when they have ended (`waiting`). After `restart_scheduled: true`, the connection ends within seconds, and new turns are a 503 `restarting` until ' +
        'the new version answers.',
      body: ApplyUpdate,
      response: { 200: UpdateApplied, ...errors(400) }
    }
  }, async ({ body: { target, now, wait, cancel } }) => {
    if (target === 'agent') return { ok: true, message: agent.message, target, up_to_date: true as const }
    return await updates.apply(target, { now: now ?? false, wait: wait ?? false, cancel: cancel ?? false })
  })

  function answer ({
    webui, checkedAtS, channel, lastUpdate, waiting
  }: NonNullable<Awaited<ReturnType<typeof updates.check>>>): Answer {
    const last = lastUpdate === null ? null : { ok: lastUpdate.ok, message: lastUpdate.message, finished_at: lastUpdate.finishedAtS }
    return {
      webui, agent: webui === null && !settings.values().ignore_agent_updates ? null : agent, checked_at: checkedAtS, include_agent: false,
      channel, installed_as: updates.installedAs, last_update: last,
      ...(waiting === null ? {} : { waiting: { since: waiting.sinceS, turns: waiting.turns } })
    }
  }
}
export default plugin
