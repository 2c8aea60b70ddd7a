import { type CookieSerializeOptions } from '@fastify/cookie'
import { type FastifyReply, type FastifyRequest } from 'fastify'
import { type Config } from './config.js'

/**
 * Returns all values that a Cookie header has for a name: a sibling host may have set another one beside ours, which must not
 * lock anyone out.
 */
export function cookieValues (header: string | undefined, name: string): string[] {
  return cookiesNamed(header, (other) => other === name).map(({ value }) => value)
}

/** Returns the cookies of all wanted names, in the header's order. */
export function cookiesNamed (header: string | undefined, isWanted: (name: string) => boolean): Array<{ name: string, value: string }> {
  if (header === undefined) return []
  const found: Array<{ name: string, value: string }> = []
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=')
    const name = pair.slice(0, equals).trim()
    if (equals !== -1 && isWanted(name)) found.push({ name, value: pair.slice(equals + 1).trim() })
  }
  return found
}

/**
 * Returns the attributes of the service's cookies. `Secure` is set only if the browser came over TLS: over plain http the browser would
 * never send such a cookie back.
 * @param maxAgeS absent = until the browser is closed; 0 deletes the cookie
 */
export function cookieAttributes (request: FastifyRequest, config: Config, maxAgeS?: number): CookieSerializeOptions {
  return {
    path: '/', httpOnly: true, sameSite: 'lax', secure: config.forceSecureCookies || request.protocol === 'https',
    ...(maxAgeS !== undefined && { maxAge: maxAgeS })
  }
}

/** Sets the session cookie. The scope needs @fastify/cookie. */
export function setSessionCookie (request: FastifyRequest, reply: FastifyReply, config: Config, value: string): void {
  reply.setCookie(config.cookieName, value, cookieAttributes(request, config, request.server.auth.sessionTtlS()))
}
