import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { PushPayload, PushStatus, Subscribe, SubscribeAnswer, Unsubscribe, UnsubscribeAnswer } from '../schemas/push.js'
import { isSameHost } from '../services/areas/auth/index.js'
import { Invalid } from '../services/ground/errors.js'
import { mostSubscriptions, subscriptionToWire, wishesOf } from '../services/areas/push/index.js'
import { errors } from '../schemas/common.js'
import { tagged } from './shared/tagged.js'

/** The messages that a browser gets, for the API document. */
const messages = {
  callbacks: {
    message: {
      '{$request.body#/endpoint}': {
        post: {
          requestBody: {
            description: 'The message that the browser receives; it is encrypted in transit (RFC 8291)',
            content: { 'application/json': { schema: PushPayload } }
          },
          responses: {
            201: { description: 'The push service accepted the message' }, 404: { description: 'The browser has unsubscribed, and its subscription is removed' }
          }
        }
      }
    }
  }
}

/** Browsers that get Web Push notifications about what happens while the app is not open. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('push'))
  const { push } = app

  app.get('/api/push', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the key that browsers subscribe with, and the subscribed browsers',
      description: '`available: false` has a `reason`, such as a page without https. `public_key` is the application server key for ' +
        '`pushManager.subscribe`.',
      response: { 200: PushStatus }
    }
  }, async (request) => {
    const obstacle = push.obstacle(request.host)
    return {
      available: obstacle === null, reason: obstacle?.text ?? null, reason_code: obstacle?.code ?? null,
      public_key: push.publicKey(), limit: mostSubscriptions,
      subscriptions: push.subscriptions().map(subscriptionToWire)
    }
  })

  app.post('/api/push/subscriptions', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Subscribe a browser to notifications, or change its preferences',
      description: 'Send what `pushManager.subscribe` returned. A browser that is already subscribed is updated. 400: the endpoint is ' +
        'not https, is private, or twenty browsers are subscribed.',
      body: Subscribe,
      response: { 200: SubscribeAnswer, ...errors(400, 503) },
      ...messages
    }
  }, async (request) => {
    const { body, operator, headers, protocol, host } = request
    // If an untrusted proxy terminates TLS, only the browser knows that the page was encrypted.
    const page = headers.origin !== undefined && isSameHost(headers.origin, host) ? headers.origin : `${protocol}://${host}`
    // A program at the console is not a browser: its subscriptions belong to no one.
    const via = operator === null || operator.via === 'console' ? 'open' : operator.via
    const from = { via, tokenHash: operator?.tokenHash ?? null, userAgent: headers['user-agent'] ?? null, page }
    return { ok: true as const, subscription: subscriptionToWire(await push.subscribe(body, wishesOf(body.preferences), from)) }
  })

  app.delete('/api/push/subscriptions', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Unsubscribe a browser from notifications',
      description: 'Send `endpoint` or `id`. 404: not subscribed.',
      body: Unsubscribe,
      response: { 200: UnsubscribeAnswer, ...errors(400, 404) }
    }
  }, async ({ body: { endpoint, id } }) => {
    if (typeof endpoint === 'string') return { ok: true as const, id: await push.unsubscribe({ endpoint }) }
    if (typeof id === 'string') return { ok: true as const, id: await push.unsubscribe({ id }) }
    throw new Invalid('Missing required field(s): endpoint or id')
  })
}
export default plugin
