import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createPrompts, type Prompts } from '../../services/areas/prompts/index.js'
import { regularly } from '../ground/regularly.js'

declare module 'fastify' {
  interface FastifyInstance { prompts: Prompts }
}

const followClockEveryMs = 60_000

/** Approvals and questions that wait for a person's answer. */
export default fp(async (app: FastifyInstance) => {
  const { audit, db, events, clock, agent, profiles, sessions } = app
  const prompts = createPrompts({
    db,
    events,
    clock,
    audit,
    agent,
    changed: sessions.changed,
    isMasked: sessions.isMasked,
    log: (message, details) => app.log.warn(details, message),
    deniedIn: (profile) => profiles.rules(profile).denied,
    allowAlways: async (profile, patternKeys) => {
      try {
        await profiles.allowPattern(profile, patternKeys)
      } catch (error) {
        // The answer itself remains valid; the grant lasts for the session instead of for good.
        app.log.error({ err: error, profile }, 'a permanent approval could not be written to config.yaml')
      }
    }
  })
  sessions.on('removed', (ids) => { for (const id of ids) prompts.yolo.forget(id) })
  const follow = (isSomebodyThere: boolean): void => {
    prompts.somebodyThere(isSomebodyThere).catch((error: unknown) =>
      app.log.warn({ reason: String(error) }, 'the time limits of questions could not be paused or resumed'))
  }
  app.eventStreams.onSomebodyThere(follow)
  app.addHook('onClose', async () => prompts.stop())
  app.decorate('prompts', prompts)
  regularly(app, followClockEveryMs, 'time limits of prompts could not follow the clock', prompts.followClock)
}, { name: 'prompts', dependencies: ['audit', 'database', 'events', 'profiles', 'agent', 'sessions'] })
