import cookie from '@fastify/cookie'
import { type FastifyPluginAsyncTypebox, type Static } from '@fastify/type-provider-typebox'
import { type FastifyReply, type FastifyRequest } from 'fastify'
import { cookieAttributes, cookieValues, setSessionCookie } from '../plugins/ground/cookies.js'
import { conflicts, errors } from '../schemas/common.js'
import { ChangeSettings, Settings } from '../schemas/settings.js'
import { type Company } from '../services/areas/auth/index.js'
import { limitChanges, tokenLimits, type LimitSave } from '../services/areas/settings/index.js'
import { tagged } from './shared/tagged.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('settings'))
  // Writes the session's cookie.
  await app.register(cookie)

  app.get('/api/settings', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the settings of this instance',
      description: 'Includes versions, the ways to sign in, and problems of config.yaml. `GET /api/events` reports ' +
        'changes as `settings` frames.',
      response: { 200: Settings }
    }
  }, async (request) => {
    return view(request)
  })

  app.post('/api/settings', {
    config: { scope: 'admin', bodyNulls: 'kept' },
    schema: {
      summary: 'Change settings of this instance; unknown keys are ignored',
      description: 'Nothing is stored if one value is invalid: 400 names its key. Keys that begin with `_` set the password and how to ' +
        'sign in; they need `_current_password` (403, 429). 409 `password_pinned` or `config_broken`. A `settings` frame follows.',
      body: ChangeSettings,
      response: { 200: Settings, ...errors(400, 403, 429, 503), ...conflicts('config_broken', 'password_pinned', 'uncoded') }
    }
  }, async (request, reply) => {
    const profile = request.activeProfile()
    const settings = await app.settings.prepare(request.body)
    const limits = limitChanges(request.body)
    const access = await app.auth.changes.prepare(request.body, request.asker())
    const {
      cookie, justEnabled
    } = await access.apply({ alongside: settings, ...(limits.length > 0 && withLimits(app.limitSaves.save(profile, limits), settings)) })
    if (cookie !== null) handOver(request, reply, cookie, profile)
    return { ...view(request, profile), auth_just_enabled: justEnabled }
  })

  /** Sets the cookie of a new session, and signs the client's choice of a profile again, which was signed for the previous session. */
  function handOver (request: FastifyRequest, reply: FastifyReply, cookie: string, profile: string): void {
    const { auth, config, profiles } = app
    setSessionCookie(request, reply, config, cookie)
    if (cookieValues(request.headers.cookie, config.profileCookieName).length === 0) return
    const operator = request.operator?.via === 'proxy' ? request.operator : auth.admit({ cookies: [cookie] })
    reply.setCookie(config.profileCookieName, profiles.clientProfile.cookie(operator, profile), cookieAttributes(request, config))
  }

  function view (request: FastifyRequest, profile = request.activeProfile()): Static<typeof Settings> {
    const { model, provider } = app.models.defaults.of(profile)
    const { config, configError, configProblems } = app.profiles.settings(profile)
    return {
      ...app.settings.values(),
      persisted_speech_keys: app.settings.savedSpeechKeys(),
      ...(app.config.sessionTtlS !== null && { session_ttl_seconds: app.config.sessionTtlS }),
      default_workspace: app.workspace.defaultFolder,
      default_model: model,
      default_model_provider: provider,
      ...tokenLimits(config),
      provider_cost_budget: app.budgets.rules(profile).limits.day.soft_usd ?? null,
      config_error: configError ?? null,
      config_problems: [...configProblems],
      password_env_var: app.config.password !== null,
      ...app.auth.access(request.operator),
      webui_version: app.serviceVersion,
      agent_version: app.serviceVersion,
      update_channel_version: app.serviceVersion
    }
  }
}
export default plugin

/** Returns a save that first writes limits to config.yaml. */
function withLimits (limit: LimitSave, settings: (() => void) | null): Company {
  return {
    first: limit.first,
    alongside () {
      settings?.()
      limit.alongside()
    },
    undo: limit.undo
  }
}
