import { type FastifyInstance, type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { knownSecrets, secretsOfSettings, secretsOfVariables } from '../../services/ground/redaction/index.js'
import { configureOutgoing } from '../../services/ground/proxy/outgoing.js'
import { mcpTokensOf, serversOf } from '../../services/agent/index.js'
import { secretsOfServers } from '../../services/areas/mcp/index.js'
import { recordConfig } from '../../services/areas/audit/index.js'
import { createProfiles, ClientProfile, type Profiles } from '../../services/areas/profiles/index.js'
import { cookieValues } from '../ground/cookies.js'

declare module 'fastify' {
  interface FastifyInstance { profiles: Profiles & { clientProfile: ClientProfile } }
  interface FastifyRequest {
    /** Returns the profile of this request: the one its client has chosen, else the server-wide one. */
    activeProfile (): string
    /** Returns the profile that a client names. An empty name, which clients without a choice send, stands for the active profile. */
    profileCalled (name: string | null | undefined): string
  }
}

export default fp(async (app: FastifyInstance) => {
  const { audit, config, clock, auth } = app
  configureOutgoing(config.home, config.env)
  const profiles = createProfiles({
    home: config.home,
    env: config.env,
    clock,
    isolated: config.isolatedProfile,
    // A new key is registered for redaction before it is used or shown, including keys of profiles that are added later.
    learned: (settings) => {
      const { home, env, configAsWritten } = settings
      knownSecrets.keep([
        ...secretsOfVariables(env), ...secretsOfSettings(configAsWritten), ...secretsOfServers(serversOf(settings), env),
        ...mcpTokensOf(home)
      ])
    },
    log: (message, details) => app.log.warn(details, message)
  })
  for (const { name } of profiles.list()) profiles.settings(name)
  // A value from the environment takes precedence and never changes.
  if (config.passkeys === null) {
    profiles.on('changed', (
      _name, { home, config: settings }
    ) => { if (home === config.home) auth.switchPasskeys(settings.webui_passkey_enabled === true) })
  }
  profiles.on('configured', (name, before, after) => recordConfig(audit.soonest, name, before, after))
  profiles.on('variable', (profile, variable, isSet) => audit.soonest(isSet ? 'key.set' : 'key.removed', { profile, variable }))
  const clientProfile = new ClientProfile({ profiles, auth })
  app.decorate('profiles', Object.assign(profiles, { clientProfile }))
  app.decorateRequest('activeProfile', function (this: FastifyRequest) {
    return clientProfile.of(this.operator, cookieValues(this.headers.cookie, config.profileCookieName))
  })
  app.decorateRequest('profileCalled', function (this: FastifyRequest, name) {
    return name === null || name === undefined || name.trim() === '' ? this.activeProfile() : name
  })
  app.addHook('onReady', async () => profiles.watch())
  app.addHook('onClose', async () => profiles.close())
}, { name: 'profiles', dependencies: ['audit', 'config', 'database', 'secrets', 'auth'] })
