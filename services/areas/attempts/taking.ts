import { randomBytes } from 'node:crypto'
import { createQueue } from '../../ground/concurrency/queue.js'
import { epochSeconds } from '../../ground/time/clock.js'
import { Conflict, Invalid } from '../../ground/errors.js'
import { workTreeOf } from '../../workspace/git/index.js'
import {
  carryOutMove, changesBetween, commitOf, finishMove, keepState, planMove, protect, treeWithParts, type Part, type PlannedMove
} from '../../workspace/states/index.js'
import { type Context } from './context.js'
import { resultOf } from './results.js'
import { type AttemptsRow, type TakeRow } from './rows.js'

/** What to take: everything, or parts of the result that the person looked at. */
export interface TakeRequest { parts: Part[] | null, version: string | null }

/** How long the other attempts are kept after one has been taken. */
const keptS = 7 * 24 * 3600

/** Refs that protect commits which are on no branch. */
export const refsOf = (attemptsId: string): string => `refs/agent-attempts/${attemptsId}/`
export const refOf = (attemptsId: string, name: string): string => `${refsOf(attemptsId)}${name}`

/**
 * Takes results of attempts into the folder that they began from, and undoes that. Each change is stored as a row first, with the state of
 * the folder before and after it: one that a stop of the service has interrupted is finished or undone at the next start.
 */
export function createTaking (context: Context) {
  const { db, clock, audit, rows, workers, territory, checkpoints, changed, log } = context
  const writing = { workers, territory }
  /** Makes one change of a repository at a time, whichever of its folders the attempts began from. */
  const inTurn = createQueue()
  const repositoryOf = async ({ workspace }: AttemptsRow): Promise<string> => (await workTreeOf(workspace)).top

  /** Makes a planned change, and stores that it was made. */
  async function make (row: AttemptsRow, take: Omit<TakeRow, 'id' | 'at' | 'before' | 'after' | 'state' | 'attemptsId'>, move: PlannedMove): Promise<string[]> {
    if (move.isMade) return []
    const id = randomBytes(6).toString('hex')
    const { before, after } = move
    await protect(move.top, { [refOf(row.id, `${id}-before`)]: before, [refOf(row.id, `${id}-after`)]: after })
    await db.durably(() => rows.insertTake({ ...take, id, attemptsId: row.id, before, after, state: 'writing', at: epochSeconds(clock) }))
    try {
      const files = await carryOutMove(move, writing)
      await done(row.id, id, files.length)
      return files
    } catch (error) {
      await db.durably(() => rows.setTake(id, 'failed'))
      throw error
    }
  }

  async function done (attemptsId: string, takeId: string, files: number): Promise<void> {
    await db.durably(() => {
      const take = rows.take(takeId)
      if (take === undefined) return
      const { sessionId: session, undoes, isWhole } = take
      rows.setTake(takeId, 'done')
      if (undoes !== null) {
        rows.setTake(undoes, 'undone')
        audit.record('attempts.taken_back', { attempts: attemptsId, session, files })
      } else audit.record('attempts.taken', { attempts: attemptsId, session, files, whole: isWhole })
      const last = inFolder(attemptsId)
      rows.set(attemptsId, { takenSessionId: last?.sessionId ?? null, keptUntil: last === undefined ? null : epochSeconds(clock) + keptS })
      changed(attemptsId)
    })
  }

  /** The last change that was taken and is still in the folder. */
  const inFolder = (attemptsId: string): TakeRow | undefined =>
    rows.takes(attemptsId).find(({ state, undoes }) => state === 'done' && undoes === null)

  /** The same, as long as it can be undone. */
  const lastTake = ({ id, keptUntil }: AttemptsRow): TakeRow | undefined => keptUntil === null ? undefined : inFolder(id)

  return {
    lastTake,

    /** Returns the files. Throws Invalid, Conflict (`active_stream`, `attempt_conflict`, `attempts_changed`), Unavailable. */
    async take (row: AttemptsRow, sessionId: string, wanted: TakeRequest): Promise<string[]> {
      return await inTurn(await repositoryOf(row), async () => {
        checkpoints.refuseWhileWorking(row.workspace)
        const { base, commit } = await wantedState(context, sessionId, wanted)
        const move = await planMove(row.workspace, base, commit)
        return await make(row, { sessionId, undoes: null, isWhole: wanted.parts === null }, move)
      })
    },

    /** Undoes the last take. Throws as take does. */
    async undo (row: AttemptsRow): Promise<string[]> {
      return await inTurn(await repositoryOf(row), async () => {
        checkpoints.refuseWhileWorking(row.workspace)
        const last = lastTake(row)
        if (last === undefined) throw new Invalid('No changes of these attempts are in the folder')
        const move = await planMove(row.workspace, last.after, last.before)
        return await make(row, { sessionId: last.sessionId, undoes: last.id, isWhole: last.isWhole }, move)
      })
    },

    /** Finishes or undoes takes that a stop of the service has interrupted. Never rejects. */
    async recover (): Promise<void> {
      for (const { id, attemptsId, before, after } of rows.writing()) {
        const row = rows.find(attemptsId)
        if (row === undefined) continue
        try {
          const { top, prefix } = await keepState(row.workspace)
          if (await finishMove(row.workspace, { top, prefix, before, after }, writing)) {
            await done(attemptsId, id, (await changesBetween(top, before, after, prefix)).length)
          } else await db.durably(() => rows.setTake(id, 'failed'))
        } catch (error) {
          log('applying an attempt could not be finished', { attemptsId, reason: String(error) })
        }
      }
    },

    size: (): number => inTurn.size()
  }
}

/** Returns the commit that brings the wanted changes when it is merged, and its base. */
async function wantedState (
  context: Pick<Context, 'rows' | 'sessions'>, sessionId: string, { parts, version }: TakeRequest
): Promise<{ base: string, commit: string }> {
  const result = await resultOf(context, sessionId)
  if (result === null) throw new Conflict('The worktree of this attempt was removed, so its changes can no longer be applied', 'attempts_changed')
  const { base, state, changes } = result
  const isOther = version !== null && version !== state.tree
  if (isOther) throw new Conflict('This attempt has changed since you looked. Look at it again', 'attempts_changed')
  if (changes.length === 0) throw new Invalid('This attempt has changed nothing')
  if (parts === null) return { base, commit: state.commit }
  const tree = await treeWithParts(state.top, base, state.commit, { files: changes, parts })
  if (tree === null) throw new Conflict('This attempt has changed since you looked. Look at it again', 'attempts_changed')
  return { base, commit: await commitOf(state.top, tree, [base]) }
}
