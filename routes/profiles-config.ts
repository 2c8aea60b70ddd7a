import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ConfigSchema } from '../schemas/profiles-config.js'
import { configSchemaText } from '../services/areas/profiles/index.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  let text: string | undefined

  app.get('/api/config/schema', {
    config: { scope: 'read', finishedBytes: true },
    schema: {
      tags: ['settings'],
      summary: 'Get the JSON Schema of config.yaml, for editors',
      description: 'As `application/schema+json`; refer an editor to it, so that it completes and checks the file.',
      response: { 200: ConfigSchema }
    }
  }, async (_request, reply) => {
    text ??= configSchemaText()
    return await reply.type('application/schema+json; charset=utf-8').send(text)
  })
}
export default plugin
