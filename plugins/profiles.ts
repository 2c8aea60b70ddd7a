import { type FastifyInstance, type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { knownSecrets, secretsOfSettings, secretsOfVariables } from '../services/ground/redaction/index.js'
import { createProfiles, type Profiles } from '../services/profiles/index.js'

declare module 'fastify' {
  interface FastifyInstance { profiles: Profiles }
  interface FastifyRequest {
    /** The profile this request works in. */
    activeProfile (): string
  }
}

export default fp(async (app: FastifyInstance) => {
  const { config, clock } = app
  const profiles = createProfiles({
    home: config.home,
    env: config.env,
    clock,
    // Before a turn runs with a new key, the key is known here.
    learned: ({ env, config: settings }) => knownSecrets.keep([...secretsOfVariables(env), ...secretsOfSettings(settings)])
  })
  for (const { name } of profiles.list()) profiles.settings(name)
  app.decorate('profiles', profiles)
  app.decorateRequest('activeProfile', function (this: FastifyRequest) { return profiles.active() })
}, { name: 'profiles', dependencies: ['config', 'database', 'secrets'] })
