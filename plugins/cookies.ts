import { type CookieSerializeOptions } from '@fastify/cookie'
import { type FastifyReply, type FastifyRequest } from 'fastify'
import { type Config } from './config.js'

/**
 * Every value that a Cookie header has for a name: a sibling host may have set one beside ours, which must not lock
 * anybody out.
 */
export function cookieValues (header: string | undefined, name: string): string[] {
  if (header === undefined) return []
  const values: string[] = []
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=')
    if (equals !== -1 && pair.slice(0, equals).trim() === name) values.push(pair.slice(equals + 1).trim())
  }
  return values
}

/**
 * How the service's cookies are kept. `Secure` only where the browser came over TLS: on plain http such a cookie would
 * never be sent back.
 *
 * @param maxAgeS absent = until the browser is closed; 0 takes the cookie away
 */
export function cookieAttributes (request: FastifyRequest, config: Config, maxAgeS?: number): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: config.forceSecureCookies || request.protocol === 'https', ...(maxAgeS !== undefined && { maxAge: maxAgeS }) }
}

/** Hands out a session. The scope needs @fastify/cookie. */
export function setSessionCookie (request: FastifyRequest, reply: FastifyReply, config: Config, value: string): void {
  reply.setCookie(config.cookieName, value, cookieAttributes(request, config, request.server.auth.sessionTtlS()))
}
