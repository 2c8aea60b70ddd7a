import rateLimit from '@fastify/rate-limit'
import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { TooMany } from '../../services/ground/errors.js'

/** What a route says in its `config` as `rateLimit`: so many requests of one address in a minute. */
export const rates = {
  /** Open to everybody, and read from the database each time. */
  public: { max: 240, timeWindow: 60_000 },
  /** A whole conversation is made into a page. */
  page: { max: 60, timeWindow: 60_000 },
  /** A model is asked, which costs money. */
  model: { max: 60, timeWindow: 60_000 },
  /** Programs are started and providers are asked. */
  diagnostics: { max: 20, timeWindow: 60_000 }
}

/** Guards what is costly and has no limit of its own; sign-ins have one that counts failures alone (services/areas/auth/throttle.ts). */
export default fp(async (app: FastifyInstance) => {
  await app.register(rateLimit, {
    global: false,
    addHeaders: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false, 'retry-after': false },
    errorResponseBuilder: (_request, { ttl }) =>
      new TooMany('Too many requests. Try again in a minute.', undefined, { retryAfterS: ttl / 1000 })
  })
}, { name: 'rate-limit' })
