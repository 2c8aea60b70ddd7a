import { randomBytes } from 'node:crypto'
import { epochSeconds } from '../../ground/time/clock.js'
import { Invalid, NotFound } from '../../ground/errors.js'
import { remoteFolder } from '../../ground/remote-folder.js'
import { redact, redactAhead } from '../../ground/redaction/index.js'
import { wholeTo } from '../../ground/text/whole-characters.js'
import { bringIn, keepState, protect, unprotect, type FolderState } from '../../workspace/states/index.js'
import { type Limits } from '../budgets/index.js'
import { type Context } from './context.js'
import { type AttemptsRow } from './rows.js'
import { type AttemptRuns } from './running.js'
import { refOf, refsOf } from './taking.js'

export interface WantedModel { model: string, provider?: string | undefined }

export interface NewAttempts {
  profile: string
  sessionId: string | null
  workspace: string
  message: string
  /** Used in rotation; empty: the default model. */
  models: WantedModel[]
  count: number | null
  check: { command: string, seconds: number } | null
  reviewer: WantedModel | null
  limits: Limits | null
}

export interface BegunAttempts { id: string, sessions: Array<{ sessionId: string, model: string | null, workspace: string }> }

const mostAttempts = 8
const titleChars = 60

/** Begins attempts: commits the state of the folder, and gives each attempt a worktree and a session. Either all of them begin, or none. */
export function createBeginning (context: Context, runs: Pick<AttemptRuns, 'begin'>) {
  const { db, clock, audit, sessions, rows, chooser, changed, log } = context

  /** Returns the model of each attempt; null: the default model. Throws Invalid. */
  async function chosen ({ profile, models, count, reviewer }: NewAttempts): Promise<Array<WantedModel | null>> {
    const total = count ?? Math.max(models.length, 2)
    if (total > mostAttempts || models.length > total) {
      throw new Invalid(models.length > total ? 'There are more models than attempts' : `At most ${mostAttempts} attempts at once`)
    }
    for (const wanted of [...models, ...(reviewer === null ? [] : [reviewer])]) {
      const choice = await chooser.choose(profile, wanted)
      if ('error' in choice) throw new Invalid(`${wanted.model}: ${choice.error}`)
    }
    return Array.from({ length: total }, (_, index) => models.length === 0 ? null : models[index % models.length] ?? null)
  }

  /** Opens the session of an attempt in a worktree with the folder's present contents. */
  async function prepare (row: AttemptsRow, state: FolderState, wanted: WantedModel | null, position: number): Promise<void> {
    const { model, provider } = wanted ?? {}
    // The number comes first, because lists cut titles at their end.
    const title = `${position + 1} · ${wholeTo(row.message.replaceAll(/\s+/g, ' ').trim(), titleChars)}`
    const projectId = row.sessionId !== null && sessions.has(row.sessionId) ? sessions.get(row.sessionId).projectId : null
    const { worktreePath } = await sessions.worktrees.createSession({
      profile: row.profile, workspace: row.workspace, title, ...(projectId === null ? {} : { projectId }),
      ...(model === undefined ? {} : { model }), ...(provider === undefined ? {} : { modelProvider: provider })
    }, {
      worktree: true,
      alongside: ({ id }) => {
        rows.insertMember({
          sessionId: id, attemptsId: row.id, position, model: model ?? null, provider: provider ?? null, state: 'waiting'
        })
        if (row.sessionId !== null && sessions.has(row.sessionId)) context.copyGrants(row.sessionId, id)
      }
    })
    if (worktreePath !== null && state.isChanged) await bringIn(worktreePath, state.commit)
  }

  /** Removes attempts that were never acknowledged. Never rejects. */
  async function dismantle ({ id, workspace }: Pick<AttemptsRow, 'id' | 'workspace'>): Promise<void> {
    try {
      for (const { sessionId } of rows.members(id)) {
        await sessions.worktrees.remove(sessionId, true)
        await sessions.remove(sessionId)
      }
      await unprotect(workspace, refsOf(id)).catch(() => {})
      await db.durably(() => rows.remove(id))
    } catch (error) {
      log('attempts that were not begun could not be removed', { attempts: id, reason: String(error) })
    }
  }

  return {
    dismantle,

    /**
     * Begins attempts. `accepted` runs in the transaction after which none of them can be lost. Throws Invalid (`not_a_repo`,
     * `no_commits`), Conflict and Unavailable.
     */
    async begin (wanted: NewAttempts, accepted: (begun: BegunAttempts) => void): Promise<BegunAttempts> {
      const { profile, sessionId, workspace, message, check, reviewer, limits } = wanted
      if (message.trim() === '') throw new Invalid('message is required')
      if (remoteFolder(workspace) !== null) throw new Invalid('Attempts work in folders of this machine only')
      if (context.territory(workspace).closed.length > 0) throw new Invalid('This folder contains files of the service, so it cannot be copied')
      const models = await chosen(wanted)
      await redactAhead(message)
      const state = await keepState(workspace)
      const id = randomBytes(8).toString('hex')
      await db.durably(() => {
        // It may have been deleted meanwhile.
        if (sessionId !== null) sessions.get(sessionId)
        rows.insert({
          id, profile, sessionId, workspace, base: state.commit, carried: state.isChanged, message, checkCommand: check?.command ?? null,
          checkSeconds: check?.seconds ?? 0, reviewerModel: reviewer?.model ?? null, reviewerProvider: reviewer?.provider ?? null,
          limits: limits === null ? null : JSON.stringify(limits), state: 'preparing', createdAt: epochSeconds(clock)
        })
      })
      try {
        const row = rows.find(id)
        if (row === undefined) throw new NotFound('Attempts not found')
        await protect(state.top, { [refOf(id, 'base')]: state.commit })
        for (const [position, model] of models.entries()) await prepare(row, state, model, position)
        const begun: BegunAttempts = {
          id,
          sessions: rows.members(id).map((member) => {
            const session = sessions.get(member.sessionId)
            return { sessionId: member.sessionId, model: member.model ?? sessions.rowToWire(session).model, workspace: session.workspace }
          })
        }
        await db.durably(() => {
          rows.set(id, { state: 'running' })
          audit.record('attempts.begun', { attempts: id, profile, count: models.length, check: check === null ? null : redact(check.command) })
          accepted(begun)
          changed(id)
        })
        void runs.begin(row)
        return begun
      } catch (error) {
        await dismantle({ id, workspace })
        throw error
      }
    }
  }
}
