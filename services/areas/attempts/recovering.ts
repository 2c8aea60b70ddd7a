import { type createBeginning } from './beginning.js'
import { type Context } from './context.js'
import { type AttemptRuns } from './running.js'
import { type createTaking } from './taking.js'

interface Parts {
  taking: Pick<ReturnType<typeof createTaking>, 'recover'>
  beginning: Pick<ReturnType<typeof createBeginning>, 'dismantle'>
  runs: AttemptRuns
}

/** Resumes after a stop of the service: each attempt continues from the state in its row. */
export async function recoverAttempts ({ db, rows }: Pick<Context, 'db' | 'rows'>, { taking, beginning, runs }: Parts): Promise<void> {
  await taking.recover()
  for (const row of rows.open()) if (row.state === 'preparing') await beginning.dismantle(row)
  for (const member of rows.unsettled()) if (member.state === 'running') runs.lost(member)
  for (const row of rows.open()) if (row.state === 'running') await runs.begin(row)
  for (const { state, sessionId } of rows.unsettled()) {
    if ((state === 'checking' || state === 'reviewing') && !runs.isSettling(sessionId)) void runs.settle(sessionId)
  }
  for (const { id, state } of rows.open()) {
    if (state === 'judging') await db.durably(() => rows.set(id, { state: 'running' }))
    if (state !== 'preparing') await runs.conclude(id)
  }
}
