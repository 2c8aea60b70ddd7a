import { type FastifyRequest } from 'fastify'
import { mayUse } from '../../services/areas/auth/index.js'
import { type Mode } from '../../services/areas/plans/index.js'
import { Forbidden } from '../../services/ground/errors.js'

/**
 * Returns the mode that a request sets; undefined: the session keeps `present`. Leaving plan mode allows changes, so it needs the scope
 * of approvals. Throws Forbidden.
 */
export function changedMode ({ operator }: Pick<FastifyRequest, 'operator'>, wanted: Mode, present: Mode): Mode | undefined {
  if (wanted === present) return undefined
  if (wanted === 'plan' || mayUse(operator, 'approve')) return wanted
  throw new Forbidden('Leaving plan mode needs the scope approve', 'scope_too_narrow', { scope: operator?.scope, needed_scope: 'approve' })
}
