import { type Static } from '@sinclair/typebox'
import { type Check, type CheckRun, type CheckRunDetail } from '../../../schemas/checks.js'
import { changedScript } from './context.js'
import { type Proposal } from './finding.js'
import { type Problem } from './problems/index.js'
import { type CheckRow, type CheckRunRow, type RunSummary } from './rows.js'

export const problemsOf = ({ problems }: Pick<CheckRunRow, 'problems'>): Problem[] => JSON.parse(problems) as Problem[]

/** @param proposals what the folder offers; null if that is unknown at the moment */
export function checkToWire (check: CheckRow, proposals: readonly Proposal[] | null): Static<typeof Check> {
  const { id, name, kind, command, file, script, afterTurn, autoSend, seconds } = check
  return {
    id, name, kind, command, file, script, after_turn: afterTurn, auto_send: autoSend, seconds,
    changed_script: proposals === null ? null : changedScript(check, proposals)
  }
}

export function runToWire ({
  id, checkId, sessionId, name, command, state, streamId, isConfined, exitCode, errors, warnings, infos, files, sentAt, createdAt,
  startedAt, endedAt
}: RunSummary): Static<typeof CheckRun> {
  return {
    id, check_id: checkId, session_id: sessionId, name, command, state, turn_id: streamId, confined: isConfined, exit_code: exitCode,
    errors, warnings, infos, files, sent_at: sentAt, created_at: createdAt, started_at: startedAt, ended_at: endedAt
  }
}

export function detailToWire (run: CheckRunRow, live: string | null): Static<typeof CheckRunDetail> {
  const problems = problemsOf(run)
  const files = new Set(problems.flatMap(({ path }) => path === null ? [] : [path])).size
  return { ...runToWire({ ...run, files }), problems, output: live ?? run.output }
}
