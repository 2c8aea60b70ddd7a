import { type FastifyPluginAsyncTypebox, type Static } from '@fastify/type-provider-typebox'
import { ActiveProfile, ProfileList, type Profile as ProfileSchema } from '../schemas/profiles.js'
import { type Profile } from '../services/profiles/index.js'

const tags = ['profiles']

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { profiles, agent } = app

  app.get('/api/profiles', {
    schema: { tags, summary: 'The profiles of this service', response: { 200: ProfileList } }
  }, async (request) => {
    const active = request.activeProfile()
    return { profiles: profiles.list().map((profile) => toWire(profile, active)), active, single_profile_mode: false }
  })

  app.get('/api/profile/active', {
    schema: { tags, summary: 'The profile this client works in', response: { 200: ActiveProfile } }
  }, async (request) => {
    const profile = profiles.get(request.activeProfile())!
    return { name: profile.name, path: profile.home, is_default: profile.isDefault, default_workspace: app.workspace.defaultFolder }
  })

  function toWire (profile: Profile, active: string): Static<typeof ProfileSchema> {
    const { model, provider } = app.models.defaults.of(profile.name)
    return {
      name: profile.name,
      path: profile.home,
      is_default: profile.isDefault,
      is_active: profile.name === active,
      gateway_running: agent.health(profile.name).running,
      model,
      provider,
      visible: true,
      has_env: profiles.settings(profile.name).envFileKeys.size > 0,
      // Skills are not part of the service yet: there are none to count.
      skill_count: 0,
      enabled_skills: 0,
      total_skills: 0
    }
  }
}
export default plugin
