import { type Static } from '@sinclair/typebox'
import { type Attempt as AttemptSchema, type Attempts as AttemptsSchema, type AttemptsList } from '../../../schemas/attempts.js'
import { type Limits } from '../budgets/index.js'
import { type SessionRow } from '../sessions/index.js'
import { type AttemptRow, type AttemptsRow, type AttemptUse } from './rows.js'
import { wholeEnd } from '../../ground/text/whole-characters.js'

/** What is shown of an attempt besides its row. */
export interface AttemptView {
  session: SessionRow
  use: AttemptUse
  isLive: boolean
  waitsForYou: boolean
  answer: string
}

const answerChars = 1_200

function attemptToWire (
  { sessionId, model, provider, state, error, checkPassed, checkOutput, files, additions, deletions, review, reason, ...row }: AttemptRow,
  { session, use, isLive, waitsForYou, answer }: AttemptView
): Static<typeof AttemptSchema> {
  return {
    session_id: sessionId,
    model,
    model_provider: provider,
    workspace: session.workspace,
    branch: session.worktreeBranch,
    has_worktree: session.worktreePath !== null,
    // A person may have continued an attempt that was over.
    state: isLive && state !== 'waiting' ? 'running' : state,
    waits_for_you: waitsForYou,
    error,
    check_passed: checkPassed,
    check_output: checkOutput,
    files,
    additions,
    deletions,
    input_tokens: use.inputTokens,
    output_tokens: use.outputTokens,
    cost: use.cost,
    started_at: row.startedAt,
    ended_at: isLive ? null : row.endedAt,
    answer: answer.length <= answerChars ? answer : `…${wholeEnd(answer, answerChars)}`,
    review,
    reason
  }
}

export function summaryToWire (row: AttemptsRow, count: number): Static<typeof AttemptsList>['attempts'][number] {
  return {
    attempts_id: row.id,
    session_id: row.sessionId,
    workspace: row.workspace,
    message: row.message,
    state: row.state === 'preparing' ? 'running' : row.state,
    count,
    taken_session_id: row.takenSessionId,
    created_at: row.createdAt,
    version: row.version
  }
}

export function attemptsToWire (
  row: AttemptsRow, members: Array<{ row: AttemptRow, view: AttemptView }>,
  { limits, used, canUndo }: { limits: Limits, used: { usd: number, tokens: number }, canUndo: boolean }
): Static<typeof AttemptsSchema> {
  return {
    ...summaryToWire(row, members.length),
    carried: row.carried,
    check: row.checkCommand,
    reviewer: row.reviewerModel,
    budget: { ...used, limit_usd: limits.hard_usd ?? null, limit_tokens: limits.hard_tokens ?? null },
    best_session_id: row.bestSessionId,
    verdict: row.verdict,
    can_undo: canUndo,
    kept_until: row.keptUntil,
    sessions: members.map(({ row, view }) => attemptToWire(row, view))
  }
}
