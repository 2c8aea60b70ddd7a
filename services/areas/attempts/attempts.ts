import { randomBytes } from 'node:crypto'
import { type Static } from '@sinclair/typebox'
import { type AttemptDiff, type Attempts as AttemptsSchema, type AttemptsList } from '../../../schemas/attempts.js'
import { epochSeconds } from '../../ground/clock.js'
import { Conflict, Invalid, NotFound } from '../../ground/errors.js'
import { remoteFolder } from '../../ground/location.js'
import { redact, redactAhead } from '../../ground/redaction/index.js'
import { bringIn, diffOf, keepState, protect, treeOf, unprotect, type FolderState } from '../../workspace/states/index.js'
import { type Limits } from '../budgets/index.js'
import { budgetOf, contextOf, type AttemptsOptions } from './context.js'
import { createJudge } from './judging.js'
import { resultOf } from './results.js'
import { type AttemptRow, type AttemptsRow } from './rows.js'
import { AttemptRuns, isSettled } from './running.js'
import { createTaking, refOf, refsOf, type Wanted } from './taking.js'
import { attemptsToWire, summaryToWire } from './wire.js'

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

export interface Begun { id: string, sessions: Array<{ sessionId: string, model: string | null, workspace: string }> }

const mostAttempts = 8
const mostListed = 100
const mostFiles = 1_000
const titleChars = 60

/**
 * The same task done several times, each in a worktree and a session of its own, under one budget. They are compared, and one is taken
 * into the folder that they began from.
 */
export function createAttempts (options: AttemptsOptions) {
  const context = contextOf(options)
  const { db, clock, audit, sessions, chat, budgets, rows, chooser, changed, log } = context
  const taking = createTaking(context)
  const runs = new AttemptRuns(context, createJudge(context))

  /** Throws NotFound, in the same words for those of other profiles. */
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

  /** Opens the session of an attempt in a worktree that holds what the folder held. */
  async function prepare (row: AttemptsRow, state: FolderState, wanted: WantedModel | null, position: number): Promise<void> {
    const { model, provider } = wanted ?? {}
    // The number first: a list cuts titles at their end.
    const title = `${position + 1} · ${row.message.replaceAll(/\s+/g, ' ').trim().slice(0, titleChars).replace(/[\uD800-\uDBFF]$/, '')}`
    const { worktreePath } = await sessions.worktrees.createSession({
      profile: row.profile, workspace: row.workspace, title,
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

  /** Removes worktrees; those that are at work are left. Returns their sessions. */
  async function removeWorktrees (row: AttemptsRow, members: readonly AttemptRow[]): Promise<string[]> {
    const removed: string[] = []
    for (const { sessionId } of members) {
      if (!sessions.has(sessionId) || sessions.get(sessionId).worktreePath === null || chat.isLive(sessionId)) continue
      await sessions.worktrees.remove(sessionId, true)
      removed.push(sessionId)
    }
    if (removed.length === 0) return removed
    await db.durably(() => {
      audit.record('attempts.removed', { attempts: row.id, sessions: removed.length })
      changed(row.id)
    })
    return removed
  }

  /** Resumes after a stop of the service: each attempt continues from the state in its row. */
  async function recover (): Promise<void> {
    await taking.recover()
    for (const row of rows.open()) if (row.state === 'preparing') await dismantle(row)
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

  return {
    /**
     * Begins them. `accepted` runs in the transaction after which none is lost. Throws Invalid (`not_a_repo`, `no_commits`), Conflict
     * and Unavailable.
     */
    async begin (wanted: NewAttempts, accepted: (begun: Begun) => void): Promise<Begun> {
      const { profile, sessionId, workspace, message, check, reviewer, limits } = wanted
      if (message.trim() === '') throw new Invalid('message is required')
      if (remoteFolder(workspace) !== null) throw new Invalid('Attempts work in folders of this machine only')
      if (context.territory(workspace).closed.length > 0) throw new Invalid('This folder contains files of the service, so it cannot be copied')
      const models = await chosen(wanted)
      await redactAhead(message)
      const state = await keepState(workspace)
      const id = randomBytes(8).toString('hex')
      await protect(state.top, refOf(id, 'base'), state.commit)
      await db.durably(() => rows.insert({
        id, profile, sessionId, workspace, base: state.commit, carried: state.isChanged, message, checkCommand: check?.command ?? null,
        checkSeconds: check?.seconds ?? 0, reviewerModel: reviewer?.model ?? null, reviewerProvider: reviewer?.provider ?? null,
        limits: limits === null ? null : JSON.stringify(limits), state: 'preparing', createdAt: epochSeconds(clock)
      }))
      try {
        const row = rows.find(id)
        if (row === undefined) throw new NotFound('Attempts not found')
        for (const [position, model] of models.entries()) await prepare(row, state, model, position)
        const begun: Begun = {
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
    },

    /** Throws NotFound. */
    get: (id: string, profile: string): Static<typeof AttemptsSchema> => view(existing(id, profile)),
    list: (profile: string): Static<typeof AttemptsList>['attempts'] =>
      rows.list(profile, mostListed).map((row) => summaryToWire(row, rows.members(row.id).length)),

    /** Returns what an attempt changed. Throws NotFound, Conflict (`attempts_changed`) without a worktree, TooLarge. */
    async diff (
      id: string, profile: string, { sessionId, path }: { sessionId: string, path: string | null }
    ): Promise<Static<typeof AttemptDiff>> {
      memberOf(existing(id, profile), sessionId)
      const result = await resultOf(context, sessionId)
      if (result === null) throw new Conflict('The worktree of this attempt was removed', 'attempts_changed')
      const { base, state: { top, commit }, changes } = result
      if (path !== null && !changes.some((file) => file.path === path)) throw new NotFound('This attempt has not changed this file')
      return {
        version: await treeOf(top, commit),
        files: changes.slice(0, mostFiles).map(({ entry: _, ...file }) => file),
        truncated: changes.length > mostFiles,
        diff: path === null ? null : await diffOf(top, base, commit, path)
      }
    },

    /** Throws NotFound, Invalid, Conflict (`active_stream`, `attempt_conflict`, `attempts_changed`) and Unavailable. */
    async take (id: string, profile: string, { sessionId, ...wanted }: Wanted & { sessionId: string }): Promise<string[]> {
      const row = existing(id, profile)
      const member = memberOf(row, sessionId)
      if (chat.isLive(sessionId) || !isSettled(member)) {
        throw new Conflict('This attempt is still at work. Wait until it ends, or stop it', 'active_stream')
      }
      return await taking.take(row, sessionId, wanted)
    },

    /** Takes back what was taken last. Throws as take does. */
    undo: async (id: string, profile: string): Promise<string[]> => await taking.undo(existing(id, profile)),

    /** Throws NotFound. */
    async stop (id: string, profile: string): Promise<void> {
      const row = existing(id, profile)
      await db.durably(() => audit.record('attempts.stopped', { attempts: id }))
      await runs.stop(row)
    },

    /** Removes the worktrees of all, or of one. Throws NotFound, Conflict (`active_stream`) while one of them is at work. */
    async remove (id: string, profile: string, sessionId: string | null): Promise<string[]> {
      const row = existing(id, profile)
      const members = sessionId === null ? rows.members(id) : [memberOf(row, sessionId)]
      if (members.some((member) => chat.isLive(member.sessionId) || !isSettled(member))) {
        throw new Conflict('An attempt is still at work. Wait until it ends, or stop it', 'active_stream')
      }
      const removed = await removeWorktrees(row, members)
      // Nothing is left that could be taken, or taken back.
      if (row.keptUntil === null && rows.members(id).every(({ sessionId }) => sessions.get(sessionId).worktreePath === null)) {
        await unprotect(row.workspace, refsOf(id)).catch(() => {})
      }
      return removed
    },

    recover,

    /** Removes the worktrees whose time is over. */
    async sweep (): Promise<void> {
      for (const row of rows.due(epochSeconds(clock))) {
        const members = rows.members(row.id)
        await removeWorktrees(row, members)
        if (members.some(({ sessionId }) => chat.isLive(sessionId))) continue
        await unprotect(row.workspace, refsOf(row.id)).catch(() => {})
        await db.durably(() => rows.set(row.id, { keptUntil: null }))
      }
    },

    /** What it holds, for tests and metrics. */
    size: () => ({ settling: runs.size(), taking: taking.size() })
  }
}

export type Attempts = ReturnType<typeof createAttempts>
