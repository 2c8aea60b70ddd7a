import { type FastifyRequest } from 'fastify'
import { mayUse } from '../../services/areas/auth/index.js'
import { type Mode } from '../../services/areas/plans/index.js'
import { Forbidden } from '../../services/ground/errors.js'

/**
 * The mode that a request gives a session which is in `present`; undefined: it stays as it is. To leave plan mode is to say yes to changes,
 * so it takes the scope that approvals take. Throws Forbidden.
 */
export function changedMode ({ operator }: Pick<FastifyRequest, 'operator'>, wanted: Mode, present: Mode): Mode | undefined {
  if (wanted === present) return undefined
  if (wanted === 'plan' || mayUse(operator, 'approve')) return wanted
  throw new Forbidden('To leave plan mode takes the scope approve', 'scope_too_narrow', { scope: operator?.scope, needed_scope: 'approve' })
}
