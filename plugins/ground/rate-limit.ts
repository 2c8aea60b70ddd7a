import rateLimit from '@fastify/rate-limit'
import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { TooMany } from '../../services/ground/errors.js'

/** Values for `rateLimit` in the `config` of a route: how many requests an address may send in a minute. */
export const rates = {
  /** Open to everyone, and read from the database each time. */
  public: { max: 240, timeWindow: 60_000 },
  /** Renders a whole conversation as a page. */
  page: { max: 60, timeWindow: 60_000 },
  /** Asks a model, which costs money. */
  model: { max: 60, timeWindow: 60_000 },
  /** Starts programs and asks providers. */
  diagnostics: { max: 20, timeWindow: 60_000 }
}

/** Limits costly routes that have no limit of their own. Sign-ins have one that counts only failures (services/areas/auth/throttle.ts). */
export default fp(async (app: FastifyInstance) => {
  await app.register(rateLimit, {
    global: false,
    addHeaders: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false, 'retry-after': false },
    errorResponseBuilder: (_request, { ttl }) =>
      new TooMany('Too many requests. Try again in a minute.', undefined, { retryAfterS: ttl / 1000 })
  })
}, { name: 'rate-limit' })
