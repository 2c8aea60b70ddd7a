import { type FastifyInstance } from 'fastify'

/** Returns the id of a session that may be read, including one of another front end. Throws NotFound. */
export function knownSession ({ sessions }: Pick<FastifyInstance, 'sessions'>, id: string): string {
  return sessions.isForeign(id) ? id : sessions.get(id).id
}
