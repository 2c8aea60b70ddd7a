import { stat } from 'node:fs/promises'
import { type Static } from '@sinclair/typebox'
import { type AttemptDiff } from '../../../schemas/attempts.js'
import { Conflict, NotFound } from '../../ground/errors.js'
import { redact } from '../../ground/redaction/index.js'
import { changesBetween, diffOf, keepState, wholeDiff, type ChangedFile, type FolderState } from '../../workspace/states/index.js'
import { type Context } from './context.js'
import { type AttemptRow, type AttemptsRow } from './rows.js'

/** An attempt whose worktree is there. */
export interface FoundAttempt { row: AttemptsRow, base: string, member: AttemptRow, workspace: string }

/** What an attempt has made of the folder that it began from. */
export interface AttemptResult extends FoundAttempt { state: FolderState, changes: ChangedFile[] }

const mostFiles = 1_000
/** How much of a difference a model reads, in bytes. */
const readDiffBytes = 256 * 1024

/** Null where there is nothing to look at any more. */
export function attemptOf ({ rows, sessions }: Pick<Context, 'rows' | 'sessions'>, sessionId: string): FoundAttempt | null {
  const member = rows.member(sessionId)
  const row = member === undefined ? undefined : rows.find(member.attemptsId)
  if (member === undefined || row === undefined || row.base === null || !sessions.has(sessionId)) return null
  const { workspace, worktreePath } = sessions.get(sessionId)
  return worktreePath === null ? null : { row, base: row.base, member, workspace }
}

/** What a worktree holds; null if somebody has removed it. Throws what keepState throws. */
async function stateOf (folder: string): Promise<FolderState | null> {
  const isThere = await stat(folder).then((found) => found.isDirectory(), () => false)
  return isThere ? await keepState(folder) : null
}

/** Returns the result as its worktree is now; null if the worktree is gone. Throws what keepState throws. */
export async function resultOf (context: Pick<Context, 'rows' | 'sessions'>, sessionId: string): Promise<AttemptResult | null> {
  const found = attemptOf(context, sessionId)
  if (found === null) return null
  const state = await stateOf(found.workspace)
  if (state === null) return null
  const { top, commit, prefix, off } = state
  return { ...found, state, changes: await changesBetween(top, found.base, commit, prefix, off) }
}

/**
 * The files that an attempt has changed, and how one of them. Throws NotFound for a file that it has not changed, Conflict
 * (`attempts_changed`) without a worktree, and what diffOf throws.
 */
export async function diffToWire (
  context: Pick<Context, 'rows' | 'sessions'>, { sessionId }: Pick<AttemptRow, 'sessionId'>, path: string | null
): Promise<Static<typeof AttemptDiff>> {
  const result = await resultOf(context, sessionId)
  if (result === null) throw new Conflict('The worktree of this attempt was removed', 'attempts_changed')
  const { base, state: { top, commit, tree }, changes } = result
  const file = changes.find((changed) => changed.path === path)
  if (path !== null && file === undefined) throw new NotFound('This attempt has not changed this file')
  return {
    version: tree,
    files: changes.slice(0, mostFiles).map(({ entry: _entry, name: _name, ...changed }) => changed),
    truncated: changes.length > mostFiles,
    diff: file === undefined ? null : await diffOf(top, base, commit, file)
  }
}

/** An attempt as models read it, with credentials masked. */
export async function readable (
  { sessions }: Pick<Context, 'sessions'>, row: AttemptsRow, { sessionId, checkPassed, checkOutput }: AttemptRow
) {
  const { workspace, worktreePath } = sessions.get(sessionId)
  const state = worktreePath === null ? null : await stateOf(workspace)
  const diff = state === null ? '' : await wholeDiff(state.top, row.base ?? '', state.commit, state.prefix, readDiffBytes)
  return {
    message: redact(row.message), answer: redact(sessions.transcript.lastAnswer(sessionId)), diff: redact(diff),
    check: checkPassed === null ? '(there was none)' : `${checkPassed ? 'passed' : 'failed'}\n${checkOutput ?? ''}`
  }
}
