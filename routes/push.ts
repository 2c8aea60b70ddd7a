import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { PushPayload, PushStatus, Subscribe, SubscribeAnswer, Unsubscribe, UnsubscribeAnswer } from '../schemas/push.js'
import { isSameHost } from '../services/areas/auth/index.js'
import { Invalid } from '../services/ground/errors.js'
import { mostSubscriptions, subscriptionToWire, wishesOf } from '../services/areas/push/index.js'
import { errors } from '../schemas/common.js'
import { tagged } from './shared/tagged.js'

/** What a browser receives, for the interface document. */
const messages = {
  callbacks: {
    message: {
      '{$request.body#/endpoint}': {
        post: {
          requestBody: {
            description: 'What the browser gets; on its way it is encrypted (RFC 8291)',
            content: { 'application/json': { schema: PushPayload } }
          },
          responses: {
            201: { description: 'It is on its way' }, 404: { description: 'The browser wants to hear no more: its subscription is removed' }
          }
        }
      }
    }
  }
}

/** Browsers that receive Web Push messages about what happens while no one is watching. */
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
    const reason = push.obstacle(request.host)
    return {
      available: reason === null, reason, public_key: push.publicKey(), limit: mostSubscriptions,
      subscriptions: push.subscriptions().map(subscriptionToWire)
    }
  })

  app.post('/api/push/subscriptions', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Subscribe a browser to notifications, or change which it gets',
      description: 'Send what `pushManager.subscribe` returned. A browser that is already subscribed is updated. 400: the endpoint is ' +
        'not https, is private, or twenty browsers are subscribed.',
      body: Subscribe,
      response: { 200: SubscribeAnswer, ...errors(400, 503) },
      ...messages
    }
  }, async (request) => {
    const { body, operator, headers, protocol, host } = request
    // If TLS ends at an untrusted proxy, only the browser knows about it.
    const page = headers.origin !== undefined && isSameHost(headers.origin, host) ? headers.origin : `${protocol}://${host}`
    // A program at the console is no browser: its subscription belongs to no sign-in.
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
