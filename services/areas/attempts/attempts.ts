import { type Static } from '@sinclair/typebox'
import { type AttemptDiff, type Attempts as AttemptsSchema, type AttemptsList } from '../../../schemas/attempts.js'
import { Conflict, NotFound } from '../../ground/errors.js'
import { createBeginning } from './beginning.js'
import { budgetOf, contextOf, type AttemptsOptions } from './context.js'
import { createAttemptJudge } from './judging.js'
import { createKeeping } from './keeping.js'
import { recoverAttempts } from './recovering.js'
import { diffToWire } from './results.js'
import { type AttemptRow, type AttemptsRow } from './rows.js'
import { AttemptRuns, isSettled } from './running.js'
import { createTaking, type TakeRequest } from './taking.js'
import { attemptsToWire, summaryToWire } from './wire.js'

const mostListed = 100

/**
 * The same task done several times, each in a worktree and a session of its own, under one budget. The attempts are compared, and one of
 * them is taken into the folder that they began from.
 */
export function createAttempts (options: AttemptsOptions) {
  const context = contextOf(options)
  const { db, audit, sessions, chat, budgets, rows } = context
  const taking = createTaking(context)
  const runs = new AttemptRuns(context, createAttemptJudge(context))
  const beginning = createBeginning(context, runs)
  const keeping = createKeeping(context)

  /** Throws NotFound, with the same message for attempts of other profiles. */
  function existing (id: string, profile: string): AttemptsRow {
    const row = rows.find(id)
    if (row === undefined || row.profile !== profile || row.state === 'preparing') throw new NotFound('Attempts not found')
    return row
  }

  /** Throws NotFound. */
  function memberOf ({ id }: AttemptsRow, sessionId: string): AttemptRow {
    const member = rows.member(sessionId)
    if (member?.attemptsId !== id) throw new NotFound('Attempt not found')
    return member
  }

  function view (row: AttemptsRow): Static<typeof AttemptsSchema> {
    const members = rows.members(row.id).filter(({ sessionId }) => sessions.has(sessionId)).map((member) => ({
      row: member,
      view: {
        session: sessions.get(member.sessionId), use: rows.use(member.sessionId), isLive: chat.isLive(member.sessionId),
        waitsForYou: context.isAsking(member.sessionId), answer: sessions.transcript.lastAnswer(member.sessionId)
      }
    }))
    const { id, limits } = budgetOf(row)
    const used = budgets.state({ profile: row.profile, attempts: { id, ...(limits === undefined ? {} : { limits }) } }).attempts
    return attemptsToWire(row, members, {
      limits: used?.limits ?? {}, used: { usd: used?.usd ?? 0, tokens: used?.tokens ?? 0 }, canUndo: taking.lastTake(row) !== undefined
    })
  }

  return {
    begin: beginning.begin,

    /** Throws NotFound. */
    get: (id: string, profile: string): Static<typeof AttemptsSchema> => view(existing(id, profile)),
    list: (profile: string): Static<typeof AttemptsList>['attempts'] =>
      rows.list(profile, mostListed).map((row) => summaryToWire(row, rows.members(row.id).length)),

    /** Returns what an attempt changed. Throws as diffToWire does. */
    async diff (
      id: string, profile: string, { sessionId, path }: { sessionId: string, path: string | null }
    ): Promise<Static<typeof AttemptDiff>> {
      return await diffToWire(context, memberOf(existing(id, profile), sessionId), path)
    },

    /** Throws NotFound, Invalid, Conflict (`active_stream`, `attempt_conflict`, `attempts_changed`) and Unavailable. */
    async take (id: string, profile: string, { sessionId, ...wanted }: TakeRequest & { sessionId: string }): Promise<string[]> {
      const row = existing(id, profile)
      const member = memberOf(row, sessionId)
      if (chat.isLive(sessionId) || !isSettled(member)) {
        throw new Conflict('This attempt is still running. Wait until it ends, or stop it', 'active_stream')
      }
      return await taking.take(row, sessionId, wanted)
    },

    /** Undoes the last take. Throws as take does. */
    undo: async (id: string, profile: string): Promise<string[]> => await taking.undo(existing(id, profile)),

    /** Throws NotFound. */
    async stop (id: string, profile: string): Promise<void> {
      const row = existing(id, profile)
      await db.durably(() => audit.record('attempts.stopped', { attempts: id }))
      await runs.stop(row)
    },

    /** Removes the worktrees of all attempts, or of one. Throws NotFound, and Conflict (`active_stream`) while one of them is at work. */
    async remove (id: string, profile: string, sessionId: string | null): Promise<string[]> {
      const row = existing(id, profile)
      const members = sessionId === null ? rows.members(id) : [memberOf(row, sessionId)]
      if (members.some((member) => chat.isLive(member.sessionId) || !isSettled(member))) {
        throw new Conflict('An attempt is still running. Wait until it ends, or stop it', 'active_stream')
      }
      return await keeping.remove(row, members)
    },

    recover: async (): Promise<void> => await recoverAttempts(context, { taking, beginning, runs }),

    /** Removes the worktrees whose retention time is over. */
    sweep: keeping.sweep,

    /** Returns how many attempts are settling, and how many repositories are being changed, for tests and metrics. */
    size: () => ({ settling: runs.size(), taking: taking.size() })
  }
}

export type Attempts = ReturnType<typeof createAttempts>
