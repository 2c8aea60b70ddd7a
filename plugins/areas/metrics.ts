import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createMetrics, createModelMeter, type Metrics } from '../../services/areas/metrics/index.js'
import { databaseFile } from '../../services/ground/database/index.js'
import { linesLost } from '../../services/ground/process/standard-output.js'

declare module 'fastify' {
  interface FastifyInstance { metrics: Metrics }
}

/** Metrics of the service. The areas that are measured do not depend on this one. */
export default fp(async (app: FastifyInstance) => {
  const {
    agent, chat, clock, config, crons, db, events, eventStreams, machines, prompts, push, queue, requestMeter, serviceVersion, usage
  } = app
  const models = createModelMeter({ isLive: (streamId) => chat.turn(streamId) !== undefined })
  usage.on('booked', models.booked)
  chat.turns.on('replaced', (_turn, { provider }) => models.replaced(provider))
  chat.turns.on('parked', ({ recorder }) => models.limited(recorder.model?.provider ?? null))
  chat.turns.on('ended', ({ plan, recorder }, outcome) => models.ended(plan.kind, recorder.model?.provider ?? null, outcome))
  chat.turns.on('recovered', (streams) => { for (const { kind } of streams) models.interrupted(kind) })
  const metrics = createMetrics({
    version: serviceVersion, clock, databaseFile: databaseFile(config.stateDir), db, events, agent, chat, prompts, queue, crons, push,
    machines, eventStreams: eventStreams.byRoute, linesLost, requests: requestMeter, models
  })
  app.decorate('metrics', metrics)
  app.addHook('onClose', async () => metrics.close())
}, {
  name: 'metrics',
  dependencies: [
    'config', 'version', 'database', 'request-metrics', 'events', 'agent', 'machines', 'prompts', 'usage', 'chat', 'queue', 'crons', 'push'
  ]
})
