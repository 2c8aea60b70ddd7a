import { stat } from 'node:fs/promises'
import { type Static } from '@sinclair/typebox'
import { type AttemptDiff } from '../../../schemas/attempts.js'
import { Conflict, NotFound } from '../../ground/errors.js'
import { redact } from '../../ground/redaction/index.js'
import { changesBetween, diffOf, keepState, wholeDiff, type ChangedFile, type FolderState } from '../../workspace/states/index.js'
import { whileWorktreesStay } from '../../workspace/index.js'
import { type Context } from './context.js'
import { type AttemptRow, type AttemptsRow } from './rows.js'

/** An attempt whose worktree exists. */
export interface FoundAttempt { row: AttemptsRow, base: string, member: AttemptRow, workspace: string, repoRoot: string }

/** The changes of an attempt to the folder that it began from. */
export interface AttemptResult extends FoundAttempt { state: FolderState, changes: ChangedFile[] }

const mostFiles = 1_000
/** How much of a diff a model reads, in bytes. */
const readDiffBytes = 256 * 1024

/** Returns null if there is nothing left to look at. */
export function attemptOf ({ rows, sessions }: Pick<Context, 'rows' | 'sessions'>, sessionId: string): FoundAttempt | null {
  const member = rows.member(sessionId)
  const row = member === undefined ? undefined : rows.find(member.attemptsId)
  if (member === undefined || row === undefined || row.base === null || !sessions.has(sessionId)) return null
  const { workspace, worktreeRepoRoot: repoRoot } = sessions.get(sessionId)
  return repoRoot === null ? null : { row, base: row.base, member, workspace, repoRoot }
}

/** Returns the state of a worktree; null if it was removed. Throws the errors of keepState. */
async function stateOf ({ workspace, repoRoot }: Pick<FoundAttempt, 'workspace' | 'repoRoot'>): Promise<FolderState | null> {
  return await whileWorktreesStay(repoRoot, async () => {
    const isThere = await stat(workspace).then((found) => found.isDirectory(), () => false)
    return isThere ? await keepState(workspace) : null
  })
}

/** Returns the result in the present state of its worktree; null if the worktree is gone. Throws the errors of keepState. */
export async function resultOf (context: Pick<Context, 'rows' | 'sessions'>, sessionId: string): Promise<AttemptResult | null> {
  const found = attemptOf(context, sessionId)
  if (found === null) return null
  const state = await stateOf(found)
  if (state === null) return null
  const { top, commit, prefix, off } = state
  return { ...found, state, changes: await changesBetween(top, found.base, commit, prefix, off) }
}

/**
 * Returns the files that an attempt has changed, and the diff of one of them. Throws NotFound for a file that it has not changed, Conflict
 * (`attempts_changed`) if the worktree is gone, and the errors of diffOf.
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
  const { workspace, worktreeRepoRoot: repoRoot } = sessions.get(sessionId)
  const state = repoRoot === null ? null : await stateOf({ workspace, repoRoot })
  const diff = state === null ? '' : await wholeDiff(state.top, row.base ?? '', state.commit, state.prefix, readDiffBytes)
  return {
    message: redact(row.message), answer: redact(sessions.transcript.lastAnswer(sessionId)), diff: redact(diff),
    check: checkPassed === null ? '(there was none)' : `${checkPassed ? 'passed' : 'failed'}\n${checkOutput ?? ''}`
  }
}
