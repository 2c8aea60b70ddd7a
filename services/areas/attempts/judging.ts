import { isNoModel } from '../small-tasks/index.js'
import { accountOf, type Context } from './context.js'
import { type AttemptRow } from './rows.js'
import { readable } from './results.js'

/** Asks a model which of the attempts is best, and stores its verdict. */
export type AttemptJudge = (attemptsId: string) => Promise<void>

export function createAttemptJudge (context: Context): AttemptJudge {
  const { db, rows, sessions, smallTasks, changed, log } = context

  async function end (attemptsId: string, best: string | null, verdict: string | null, reasons: Map<string, string>): Promise<void> {
    await db.durably(() => {
      for (const [sessionId, reason] of reasons) rows.setMember(sessionId, { reason })
      rows.set(attemptsId, { state: 'ready', bestSessionId: best, verdict })
      changed(attemptsId)
    })
  }

  return async function judge (attemptsId) {
    const row = rows.find(attemptsId)
    if (row === undefined) return
    const none = new Map<string, string>()
    const compared = rows.members(attemptsId).filter(({ state, files, sessionId }) =>
      state === 'done' && (files ?? 0) > 0 && sessions.has(sessionId))
    const [first] = compared
    if (first === undefined) return await end(attemptsId, null, 'No attempt has changed anything.', none)
    const passed = compared.filter(({ checkPassed }) => checkPassed === true)
    if (compared.length === 1) return await end(attemptsId, first.sessionId, 'It is the only one that has changed something.', none)
    try {
      const attempts = await Promise.all(compared.map(async (member) => await readable(context, row, member)))
      const said = await smallTasks.run('compare_attempts', { message: attempts[0]?.message ?? '', attempts }, {
        account: accountOf(row, first), fallback: { model: first.model ?? undefined, provider: first.provider ?? undefined }
      })
      if (said === null) return await end(attemptsId, only(passed), 'The judge gave no answer that could be read.', none)
      const chosen = compared[said.best - 1]
      const reasons = new Map(compared.map(({ sessionId }, index) => [sessionId, said.reasons[index] ?? '']))
      await end(attemptsId, chosen?.sessionId ?? null, chosen === undefined ? 'The judge would take none of them.' : null, reasons)
    } catch (error) {
      if (!isNoModel(error)) log('the judge of attempts failed', { attemptsId, reason: String(error) })
      const why = isNoModel(error) ? 'No model is set up that could compare them.' : 'The judge could not be asked.'
      await end(attemptsId, only(passed), why, none)
    }
  }
}

/** If only one attempt passed its check, no judge is needed. */
const only = (passed: readonly AttemptRow[]): string | null => passed.length === 1 ? passed[0]?.sessionId ?? null : null
