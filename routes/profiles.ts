import cookie from '@fastify/cookie'
import { type FastifyPluginAsyncTypebox, type Static } from '@fastify/type-provider-typebox'
import { type FastifyInstance } from 'fastify'
import { audited } from '../plugins/ground/audited.js'
import { cookieAttributes } from '../plugins/ground/cookies.js'
import { conflicts, errors } from '../schemas/common.js'
import {
  ActiveProfile, CreateProfile, CreatedProfile, DeleteProfile, DeletedProfile, ProfileList, SwitchedProfile, SwitchProfile,
  type Profile as ProfileSchema
} from '../schemas/profiles.js'
import { type Profile } from '../services/areas/profiles/index.js'
import { firstModelOf } from '../services/areas/models/index.js'
import { tagged } from './shared/tagged.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('profiles'))
  const { config, models, profiles, workspace } = app
  await app.register(cookie)

  app.get('/api/profiles', {
    config: { scope: 'read' },
    schema: {
      summary: 'List profiles',
      description: 'A profile has its own keys, settings, skills, memory and sessions. `active` is the one of this client.',
      response: { 200: ProfileList }
    }
  }, async (request) => {
    const active = request.activeProfile()
    return { profiles: await rows(app, active), active, single_profile_mode: profiles.isIsolated }
  })

  app.get('/api/profile/active', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the active profile of this client',
      description: 'Name, home and default folder. Requests for sessions of other profiles are a 409 `session_profile_mismatch`.',
      response: { 200: ActiveProfile }
    }
  }, async (request) => {
    const profile = profiles.existing(request.activeProfile())
    return { name: profile.name, path: profile.home, is_default: profile.isDefault, default_workspace: workspace.defaultFolder }
  })

  app.post('/api/profile/switch', {
    config: { scope: 'chat' },
    schema: {
      summary: 'Switch to another profile',
      description: 'Applies only to this client, through a cookie. Other clients and the server-wide profile are not changed.',
      body: SwitchProfile,
      response: { 200: SwitchedProfile, ...errors(400, 403, 404), ...conflicts('profile_busy') }
    }
  }, async (request, reply) => {
    const { name, isDefault } = profiles.switched(request.activeProfile(), request.body.name)
    await models.defaults.known(name, 1_000)
    const { model, provider } = models.defaults.of(name)
    reply.setCookie(config.profileCookieName, profiles.clientProfile.cookie(request.operator, name), cookieAttributes(request, config))
    return {
      profiles: await rows(app, name), active: name, is_default: isDefault, default_model: model, default_model_provider: provider,
      default_workspace: workspace.defaultFolder
    }
  })

  app.post('/api/profile/create', {
    config: {
      scope: 'admin', audit: audited<typeof CreateProfile>(({ name: profile }, record) => record('profile.created', { profile }))
    },
    schema: {
      summary: 'Create a profile',
      description: '`clone_from` or `clone_config` copies config.yaml, .env and SOUL.md. `default_model` and `api_key` set its first ' +
        'model. 403 if the service has a single profile. 409: the name is taken, or `config_broken`.',
      body: CreateProfile,
      response: { 200: CreatedProfile, ...errors(400, 403, 404), ...conflicts('config_broken', 'uncoded') }
    }
  }, async (request) => {
    const {
      name, clone_config: isCloned, clone_from: from, default_model: model, model_provider: provider, base_url: baseUrl, api_key: apiKey
    } = request.body
    const active = request.activeProfile()
    const cloneFrom = from != null && from !== '' ? from : isCloned === true ? active : null
    const before = cloneFrom === null ? { env: config.env, envFileKeys: new Set<string>(), config: {} } : profiles.settings(cloneFrom)
    const profile = await profiles.create({
      name, cloneFrom,
      ...await firstModelOf({ model: model ?? null, provider: provider ?? null, baseUrl: baseUrl ?? null, apiKey: apiKey ?? null }, before)
    })
    await models.defaults.known(name, 1_000)
    return { ok: true as const, profile: await toWire(app, profile, active) }
  })

  app.post('/api/profile/delete', {
    config: {
      scope: 'admin', audit: audited<typeof DeleteProfile>(({ name: profile }, record) => record('profile.deleted', { profile }))
    },
    schema: {
      summary: 'Delete a profile',
      description: 'Its home is kept for 30 days, without .env and the keys in config.yaml. Its sessions stay in the database and can ' +
        'be listed with all_profiles.',
      body: DeleteProfile,
      response: { 200: DeletedProfile, ...errors(400, 403, 404), ...conflicts('profile_busy') }
    }
  }, async ({ body: { name } }) => {
    await profiles.remove(name)
    return { ok: true as const, name }
  })
}
export default plugin

async function rows (app: FastifyInstance, active: string): Promise<Array<Static<typeof ProfileSchema>>> {
  return await Promise.all(app.profiles.list().map(async (profile) => await toWire(app, profile, active)))
}

async function toWire (
  { agent, models, profiles, skills }: FastifyInstance, profile: Profile, active: string
): Promise<Static<typeof ProfileSchema>> {
  const { model, provider } = models.defaults.of(profile.name)
  const settings = profiles.settings(profile.name)
  const counted = await skills.count(profile.name)
  return {
    name: profile.name,
    path: profile.home,
    is_default: profile.isDefault,
    is_active: profile.name === active,
    gateway_running: agent.health(profile.name).running,
    model,
    provider,
    visible: settings.config.profile?.visible !== false,
    has_env: settings.envFileKeys.size > 0,
    skill_count: counted.total,
    enabled_skills: counted.enabled,
    total_skills: counted.total
  }
}
