import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type pullFrames } from '../../schemas/pulls.js'
import { askingPrograms, createForgeTokens, createPulls, ForgeClient, type PullMaterial, type Pulls } from '../../services/areas/pulls/index.js'
import { isNoModel } from '../../services/areas/small-tasks/index.js'
import { epochSeconds } from '../../services/ground/time/clock.js'
import { framesOf } from '../../services/ground/events/index.js'
import { redact } from '../../services/ground/redaction/index.js'
import { cleanMessage } from '../../services/workspace/git/index.js'

declare module 'fastify' {
  interface FastifyInstance { pulls: Pulls }
}

const frame = framesOf<typeof pullFrames>()

/** Pull requests on the forges of repositories. */
export default fp(async (app: FastifyInstance) => {
  const { audit, chat, clock, config, db, environment, events, git, profiles, sessions } = app
  const isPrivateAllowed = config.webhookPrivate
  const client = new ForgeClient({ clock, isPrivateAllowed })
  const profileOf = (id: string): string => sessions.isForeign(id) ? profiles.active() : sessions.get(id).profile
  const pulls = createPulls({
    db, git, client, profileOf, clock, audit, turns: chat.turns,
    tokens: createForgeTokens({ profiles, clock, isPrivateAllowed, ask: askingPrograms(environment) }),
    write: writer(app, profileOf),
    log: (message, details) => app.log.warn(details, message)
  })
  pulls.on('happened', ({ sessionId, ...news }) => {
    const about = { session_id: sessionId, profile: profileOf(sessionId), ...news, at: epochSeconds(clock) }
    db.afterCommit(() => events.publish({ kind: 'notice', id: 'all' }, () => frame('pull', about)))
  })
  app.decorate('pulls', pulls)
  app.addHook('onReady', async () => pulls.lookForNews())
  app.addHook('onClose', async () => {
    // Open requests end with their connections.
    await Promise.all([pulls.stop(), client.close()])
  })
}, { name: 'pulls', dependencies: ['audit', 'chat', 'config', 'database', 'events', 'git', 'profiles', 'sessions', 'small-tasks'] })

/** Returns a function that has a model of the session's profile describe a branch. */
function writer ({ log, sessions, smallTasks }: FastifyInstance, profileOf: (sessionId: string) => string) {
  return async (sessionId: string, { commits, diff, ...material }: PullMaterial): Promise<string | null> => {
    const own = sessions.isForeign(sessionId) ? null : sessions.get(sessionId)
    const answer = await smallTasks.run('pull_request', { ...material, commits: commits.map(redact), diff: redact(diff) }, {
      account: { profile: profileOf(sessionId), ...(own !== null && { session: sessionId }) }, workspace: own?.workspace ?? '',
      fallback: { model: own?.model ?? undefined, provider: own?.modelProvider ?? undefined }
    }).catch((error: unknown) => {
      if (isNoModel(error)) return null
      throw error
    })
    if (answer === null) log.info({ sessionId }, 'a pull request was proposed without a model')
    const message = answer === null ? '' : cleanMessage(answer)
    return message === '' ? null : message
  }
}
