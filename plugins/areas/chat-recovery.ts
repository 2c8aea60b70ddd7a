import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

/** Recovers turns that a stop of the service interrupted, once all listeners for turns are registered. */
export default fp(async (app: FastifyInstance) => {
  app.chat.turns.on('ended', (turn, { state, error, errorType, cut, host, attempts, fault }) => {
    const { sessionId, streamId, plan, model, trace } = turn
    const isWell = state === 'cancelled' || (state === 'done' && error === undefined && cut === undefined)
    if (isWell && fault === undefined) return
    const of = {
      session: sessionId, stream: streamId, trace_id: app.traces?.traceIdOf(trace), kind: plan.kind,
      ...(plan.budget !== undefined && { job: plan.budget.id })
    }
    const ended = {
      provider: model?.provider, model: model?.id, host: host ?? null, code: errorType ?? null, attempts: attempts ?? null,
      reason: error ?? cut, fault
    }
    app.log.warn({ ...of, ...ended }, 'a turn failed')
  })
  await app.agent.connectFound()
  const interrupted = app.chat.recover()
  if (interrupted > 0) app.log.warn({ turns: interrupted }, 'closed turns that a crash interrupted')
}, { name: 'chat-recovery', dependencies: ['agent', 'chat', 'titles', 'checkpoints', 'goals', 'side-turns', 'crons'] })
