import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { errors } from '../schemas/common.js'
import { PersonalityList, PersonalitySet, SetPersonality } from '../schemas/personalities.js'

const tags = ['personalities']

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { personalities } = app

  app.get('/api/personalities', {
    config: { scope: 'read' },
    schema: { tags, summary: 'Ways for the agent to speak', response: { 200: PersonalityList } }
  }, async (request) => ({ personalities: personalities.list(request.activeProfile()).map(({ name, description }) => ({ name, description })) }))

  app.post('/api/personality/set', {
    config: { scope: 'chat' },
    schema: { tags, summary: 'Let the agent of a session speak in one of these ways', body: SetPersonality, response: { 200: PersonalitySet, ...errors(400, 404) } }
  }, async ({ body: { session_id: id, name } }) => {
    const found = await personalities.set(id, name)
    return { ok: true as const, personality: found?.name ?? null, prompt: found?.prompt ?? '' }
  })
}
export default plugin
