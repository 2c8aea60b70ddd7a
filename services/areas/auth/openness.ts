import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { createValues, type Database } from '../../ground/database/index.js'

const key = 'auth_disabled_acknowledged'

/** Stores whether a person has acknowledged that the service is open to everybody who reaches it. */
export function createOpenness ({ db, clock }: { db: Database, clock: Clock }) {
  const values = createValues(db.sqlite)
  let isAcknowledged = values.get(key) === true

  return {
    get isAcknowledged (): boolean { return isAcknowledged },

    /** Inside a write of the caller's. */
    acknowledge (acknowledged: boolean): void {
      values.set(key, acknowledged, epochSeconds(clock))
      db.afterCommit(() => { isAcknowledged = acknowledged })
    }
  }
}
export type Openness = ReturnType<typeof createOpenness>
