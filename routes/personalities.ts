import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { conflicts, errors } from '../schemas/common.js'
import {
  PersonalityDeleted, PersonalityList, PersonalityQuery, PersonalitySaved, PersonalitySet, PersonalityText, SavePersonality, SetPersonality
} from '../schemas/personalities.js'
import { tagged } from './shared/tagged.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('personalities'))
  const { personalities } = app

  app.get('/api/personalities', {
    config: { scope: 'read' },
    schema: {
      summary: 'List personalities',
      description: 'Names and descriptions, of this profile.',
      response: { 200: PersonalityList }
    }
  }, async (request) => ({
    personalities: personalities.list(request.activeProfile()).map(({ name, description }) => ({ name, description }))
  }))

  app.post('/api/personality/set', {
    config: { scope: 'chat' },
    schema: {
      summary: 'Choose the personality of a session',
      description: 'Takes effect with the next turn of the session. An empty `name` removes it. 404: unknown session or personality.',
      body: SetPersonality,
      response: { 200: PersonalitySet, ...errors(400, 404) }
    }
  }, async ({ body: { session_id: id, name } }) => {
    const found = await personalities.set(id, name)
    return { ok: true as const, personality: found?.name ?? null, prompt: found?.prompt ?? '' }
  })

  app.get('/api/personality', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get a personality as written in config.yaml',
      description: 'Prompt, tone and style, for an editor. 404: no such personality.',
      querystring: PersonalityQuery,
      response: { 200: PersonalityText, ...errors(400, 404) }
    }
  }, async (request) => personalities.read(request.activeProfile(), request.query.name))

  app.post('/api/personality/save', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Save a personality in config.yaml; one of the same name is replaced',
      description: 'Sessions that use it get the new one with their next turn. Comments in the file are kept. 409 `config_broken`.',
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
      summary: 'Delete a personality from config.yaml',
      description: 'Sessions that use it continue without one. 404: no such personality. 409 `config_broken`.',
      body: PersonalityQuery,
      response: { 200: PersonalityDeleted, ...errors(400, 404), ...conflicts('config_broken', 'uncoded') }
    }
  }, async (request) => {
    await personalities.remove(request.activeProfile(), request.body.name)
    return { ok: true as const, name: request.body.name }
  })
}
export default plugin
