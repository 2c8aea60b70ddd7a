import { type FastifyInstance, type FastifyRequest, type RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { conflictsToo } from '../../schemas/errors.js'
import { asError, Conflict, NotFound } from '../../services/ground/errors.js'
import { fieldsOf } from '../../services/ground/fields.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * How a route that takes a session or a stream treats sessions of other profiles than that of the request. By default
     * they are refused (409 `session_profile_mismatch`). `open`: the route is for all profiles; `hidden`: they are not found.
     */
    otherProfiles?: 'open' | 'hidden'
  }
  interface FastifyInstance {
    /** Whether clients that work in a profile may use this session. A session that does not exist belongs to no profile. */
    isSessionOf (sessionId: string, profile: string): boolean
    /** Throws Conflict (`session_profile_mismatch`) for a session of another profile. */
    assertSessionOf (sessionId: string, profile: string): void
  }
  interface FastifyRequest {
    /** For a route that determines the session itself. Throws Conflict (`session_profile_mismatch`), or NotFound if its route hides it. */
    assertOwnSession (sessionId: string): void
  }
}

/**
 * Each session belongs to a profile, and is reached from there. A client works in the profile that it has chosen, or in the
 * one that its request names.
 */
export default fp(async (app: FastifyInstance) => {
  const { chat, profiles, sessions } = app
  // A deleted profile cannot be chosen any more, so its sessions can be read from every profile.
  const isLeft = (profile: string): boolean => !profiles.isIsolated && profiles.get(profile) === undefined
  const otherProfileOf = (sessionId: string, profile: string): string | null => {
    const own = sessions.rows.profileOf(sessionId)
    return own === undefined || own === profile || isLeft(own) ? null : own
  }
  const assertSessionOf = (sessionId: string, profile: string, isHidden = false): void => {
    const other = otherProfileOf(sessionId, profile)
    if (other === null) return
    if (isHidden) throw new NotFound('Session not found')
    throw new Conflict(`This session belongs to the profile ${other}. Switch to it first`, 'session_profile_mismatch', {
      session_id: sessionId, profile: other
    })
  }
  app.decorate('isSessionOf', (sessionId: string, profile: string) => otherProfileOf(sessionId, profile) === null)
  app.decorate('assertSessionOf', (sessionId: string, profile: string) => assertSessionOf(sessionId, profile))
  /** Does the same for a request, in the way that its route treats sessions of other profiles. */
  const assertReached = ({ routeOptions: { config } }: FastifyRequest, sessionId: string, profile: string): void => {
    assertSessionOf(sessionId, profile, config.otherProfiles === 'hidden')
  }
  app.decorateRequest('assertOwnSession', function (this: FastifyRequest, id) { assertReached(this, id, this.activeProfile()) })

  const assertOwn = (request: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void => {
    const { schema } = request.routeOptions
    // All ids are checked, whichever of them the route uses.
    const parts = [fieldsOf(request.query), fieldsOf(request.body)]
    const ids = parts.flatMap(({ session_id: session, stream_id: stream }) =>
      [session, typeof stream === 'string' ? chat.sessionOfStream(stream) : undefined])
    const wanted = takes(schema, 'profile')
      ? parts.map(({ profile }) => profile).find((profile) => typeof profile === 'string' && profile !== '')
      : undefined
    try {
      for (const id of ids) {
        if (typeof id === 'string' && id !== '') {
          assertReached(request, id, typeof wanted === 'string' ? wanted : request.activeProfile())
        }
      }
      done()
    } catch (error) {
      done(asError(error))
    }
  }

  app.addHook('onRoute', (route: RouteOptions) => {
    const before = [route.preHandler ?? []].flat()
    if (!takesSession(route) || route.config?.otherProfiles === 'open' || before.includes(assertOwn)) return
    // Before the hook that sends a request on to another machine.
    route.preHandler = [assertOwn, ...before]
    // Fastify stores the schemas of a route untyped.
    const { response = {} } = (route.schema ?? {}) as { response?: Record<string, object> }
    if (route.config?.otherProfiles !== 'hidden') {
      route.schema = { ...route.schema, response: conflictsToo(response, 'session_profile_mismatch') }
    }
  })
}, { name: 'sessions-profiles', dependencies: ['profiles', 'sessions', 'chat'] })

/** Whether the route's query or body can name a session or its stream. */
export function takesSession ({ schema }: Pick<RouteOptions, 'schema'>): boolean {
  return takes(schema, 'session_id') || takes(schema, 'stream_id')
}

function takes (schema: RouteOptions['schema'], name: string): boolean {
  return [schema?.querystring, schema?.body].some((part) => {
    const { properties } = fieldsOf(part)
    return Object.hasOwn(fieldsOf(properties), name)
  })
}
