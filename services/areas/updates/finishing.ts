import { type ApplyOptions } from './applying.js'
import { hasLeftovers } from './update-attempt.js'
import { forgetDatabase } from './database-copy.js'
import { type createOutcomes } from './outcomes.js'
import { tidy, type HeldCheckout } from './checkout-lock.js'
import { updated } from './placing.js'
import { ownUpdate } from './repairing.js'

/**
 * Ends an update to the version that runs now, and resolves when its leftovers are removed. Never rejects; does nothing in a published
 * form.
 */
export async function finishUpdate (
  { installation, stateDir, log }: Pick<ApplyOptions, 'installation' | 'stateDir' | 'log'>, checkout: HeldCheckout,
  outcomes: ReturnType<typeof createOutcomes>
): Promise<void> {
  if (!('root' in installation)) return
  const underWay = ownUpdate({ installation, stateDir })
  if (underWay?.step === 'placed' && underWay.started) {
    outcomes.keep({ ok: true, message: updated(underWay) })
    forgetDatabase(stateDir)
  } else if (underWay !== null || !hasLeftovers(installation.root)) return
  await tidy(installation.root, checkout).catch((reason: unknown) =>
    log('leftovers of an update could not be removed', { reason: String(reason) }))
}
