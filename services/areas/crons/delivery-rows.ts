import { and, asc, eq, lte, sql } from 'drizzle-orm'
import { oneRow, tables, type Database } from '../../ground/database/index.js'

export type DeliveryRow = typeof tables.cronDeliveries.$inferSelect

/** The statements of the table `cron_deliveries`. Writes run inside the caller's transaction. */
export function createDeliveryRows ({ orm, sqlite }: Database) {
  const { cronDeliveries: deliveries } = tables
  // Written out: with a parameter, no plan uses the partial index.
  const isPending = sql`state = 'pending'`
  const nextAfter = sqlite.prepare<[number], number | null>(
    "select min(next_attempt_at) from cron_deliveries where state = 'pending' and next_attempt_at > ?"
  ).pluck()
  const latest = sqlite.prepare<[], number | null>("select max(next_attempt_at) from cron_deliveries where state = 'pending'").pluck()
  const pending = sqlite.prepare<[], number>("select count(*) from cron_deliveries where state = 'pending'").pluck()
  const areFor = sqlite.prepare<[{ beginning: string }], number>(
    "select 1 from cron_deliveries where state = 'pending' and next_attempt_at is not null and substr(target, 1, length(@beginning)) = @beginning limit 1"
  ).pluck()
  const removeOf = sqlite.prepare<[string]>(
    `delete from cron_deliveries indexed by cron_deliveries_due
     where state = 'pending' and (select job_id from cron_runs where cron_runs.id = run_id) = ?`)
  const wake = sqlite.prepare<[{ beginning: string, nowS: number }]>(
    "update cron_deliveries set next_attempt_at = @nowS where state = 'pending' and next_attempt_at > @nowS and substr(target, 1, length(@beginning)) = @beginning")

  return {
    due: (nowS: number, most: number): DeliveryRow[] =>
      orm.select().from(deliveries).where(and(isPending, lte(deliveries.nextAttemptAt, nowS))).orderBy(asc(deliveries.nextAttemptAt)).limit(
        most
      ).all(),
    /** Returns when the first attempt after a moment is due, in epoch seconds. */
    nextAfter: (nowS: number): number | null => nextAfter.get(nowS) ?? null,
    /** Returns when the last pending attempt is due. */
    latest: (): number | null => latest.get() ?? null,
    /** Returns the number of pending deliveries. */
    pending: (): number => oneRow(pending),
    /** Whether deliveries are pending whose target begins like this. */
    areFor: (beginning: string): boolean => areFor.get({ beginning }) !== undefined,
    /** Makes them due now. */
    wake: (beginning: string, nowS: number): void => { wake.run({ beginning, nowS }) },
    insert: (row: Pick<DeliveryRow, 'id' | 'runId' | 'target' | 'body' | 'createdAt' | 'nextAttemptAt'>): void => {
      orm.insert(deliveries).values({ ...row, state: 'pending' }).run()
    },
    set: (
      id: string, values: Partial<DeliveryRow>
    ): void => { orm.update(deliveries).set(values).where(and(eq(deliveries.id, id), isPending)).run() },
    /** Deletes the pending deliveries of a job. */
    removeOf: (jobId: string): void => { removeOf.run(jobId) },
    /** Limits the wait of all pending deliveries, after the clock was set back. */
    hurry: (atS: number): void => {
      orm.update(deliveries).set({ nextAttemptAt: atS }).where(and(isPending, sql`next_attempt_at > ${atS}`)).run()
    }
  }
}

export type DeliveryRows = ReturnType<typeof createDeliveryRows>
