import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { MetricsText } from '../schemas/metrics.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { metrics } = app

  app.get('/metrics', {
    config: { scope: 'read' },
    exposeHeadRoute: false,
    schema: {
      tags: ['system'],
      summary: 'Get the metrics of the service, for Prometheus',
      description: 'In the text format of Prometheus; all names begin with `svc_`.',
      response: { 200: MetricsText }
    }
  }, async (_request, reply) => {
    const { text, contentType } = await metrics.text()
    return await reply.type(contentType).header('Cache-Control', 'no-store').send(text)
  })
}
export default plugin
