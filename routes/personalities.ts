import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { conflicts, errors } from '../schemas/common.js'
import {
  PersonalityDeleted, PersonalityList, PersonalityQuery, PersonalitySaved, PersonalitySet, PersonalityText, SavePersonality, SetPersonality
} from '../schemas/personalities.js'

const tags = ['personalities']

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { personalities } = app

  app.get('/api/personalities', {
    config: { scope: 'read' },
    schema: { tags, summary: 'Ways for the agent to speak', response: { 200: PersonalityList } }
  }, async (request) => ({
    personalities: personalities.list(request.activeProfile()).map(({ name, description }) => ({ name, description }))
  }))

  app.post('/api/personality/set', {
    config: { scope: 'chat' },
    schema: {
      tags, summary: 'Let the agent of a session speak in one of these ways', body: SetPersonality,
      response: { 200: PersonalitySet, ...errors(400, 404) }
    }
  }, async ({ body: { session_id: id, name } }) => {
    const found = await personalities.set(id, name)
    return { ok: true as const, personality: found?.name ?? null, prompt: found?.prompt ?? '' }
  })

  app.get('/api/personality', {
    config: { scope: 'read' },
    schema: {
      tags, summary: 'One way for the agent to speak, as it is written', querystring: PersonalityQuery,
      response: { 200: PersonalityText, ...errors(400, 404) }
    }
  }, async (request) => personalities.read(request.activeProfile(), request.query.name))

  app.post('/api/personality/save', {
    config: { scope: 'admin' },
    schema: {
      tags,
      summary: 'Write a way for the agent to speak into config.yaml, new or in the place of one of that name',
      body: SavePersonality,
      response: { 200: PersonalitySaved, ...errors(400, 404), ...conflicts('config_broken', 'uncoded') }
    }
  }, async (request) => {
    const { name, prompt = '', description = '', tone = '', style = '' } = request.body
    return { ok: true as const, personality: await personalities.save(request.activeProfile(), { name, prompt, description, tone, style }) }
  })

  app.post('/api/personality/delete', {
    config: { scope: 'admin' },
    schema: {
      tags,
      summary: 'Take a way for the agent to speak out of config.yaml',
      body: PersonalityQuery,
      response: { 200: PersonalityDeleted, ...errors(400, 404), ...conflicts('config_broken', 'uncoded') }
    }
  }, async (request) => {
    await personalities.remove(request.activeProfile(), request.body.name)
    return { ok: true as const, name: request.body.name }
  })
}
export default plugin
