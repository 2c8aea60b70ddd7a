import { type FastifyRequest } from 'fastify'
import { toUSVString } from 'node:util'
import { Invalid } from '../services/ground/errors.js'

/** A hook that throws Invalid for texts with half a character in them: on the disk it would be another one without a word. */
export async function refuseHalfCharacters ({ body }: FastifyRequest): Promise<void> {
  for (const [field, value] of Object.entries(body ?? {})) {
    if (typeof value === 'string' && toUSVString(value) !== value) throw new Invalid(`${field} is not well-formed text: it contains half a character`)
  }
}
