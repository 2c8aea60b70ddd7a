import { type FastifyPluginAsyncTypebox, type Static } from '@fastify/type-provider-typebox'
import { type FastifyRequest } from 'fastify'
import { errors } from '../schemas/common.js'
import { ChangeSettings, Settings } from '../schemas/settings.js'
import { refuseUnbuilt, tokenLimits } from '../services/settings/index.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.get('/api/settings', {
    schema: { tags: ['settings'], summary: 'Settings of this instance', response: { 200: Settings } }
  }, async (request) => {
    return view(request)
  })

  app.post('/api/settings', {
    config: { bodyNulls: 'kept' },
    schema: { tags: ['settings'], summary: 'Change settings of this instance; keys that nobody knows are ignored', body: ChangeSettings, response: { 200: Settings, ...errors(400, 409) } }
  }, async (request) => {
    refuseUnbuilt(request.body, view(request), app.config.password !== null)
    await app.settings.change(request.body)
    return view(request)
  })

  function view (request: FastifyRequest): Static<typeof Settings> {
    const profile = request.activeProfile()
    const { model, provider } = app.models.defaults.of(profile)
    const { password_auth_enabled: passwordAuth, auth_enabled: authEnabled, logged_in: loggedIn } = app.auth.status(request.operator)
    return {
      bot_name: app.config.botName,
      theme: 'system',
      // What cannot be switched on yet is off: there is no update check.
      check_for_updates: false,
      ...app.settings.values(),
      default_workspace: app.workspace.defaultFolder,
      default_model: model,
      default_model_provider: provider,
      ...tokenLimits(app.profiles.settings(profile).config),
      password_env_var: app.config.password !== null,
      auth_enabled: authEnabled,
      logged_in: loggedIn,
      password_auth_enabled: passwordAuth,
      passkeys_enabled: false,
      passwordless_enabled: false,
      webui_version: app.serviceVersion,
      agent_version: app.serviceVersion
    }
  }
}
export default plugin
