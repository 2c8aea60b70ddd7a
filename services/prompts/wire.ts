import { type Static } from '@sinclair/typebox'
import { type ApprovalPending, type ClarifyPending, type OpenPrompts, type PendingApproval, type PendingClarification } from '../../schemas/prompts.js'
import { type ApprovalAsk, type ClarifyAsk } from '../agent/protocol.js'
import { contentToWire } from './content.js'
import { foresightToWire } from './foresight.js'
import { type PromptRow } from './rows.js'

/** The prompt that waits first, as clients are shown it, and how many wait. */
export interface PendingOf { approval: Static<typeof ApprovalPending>, clarify: Static<typeof ClarifyPending> }
export type PendingPrompt = Static<typeof PendingApproval> | Static<typeof PendingClarification>
/** A prompt in the overview of all sessions. */
export type OpenPrompt = Static<typeof OpenPrompts>['prompts'][number]

export function toWire (row: PromptRow): PendingPrompt {
  if (row.kind === 'approval') {
    const { command, description, patternKey, patternKeys, maxScope, timeoutS, content, foresight, budget } = row.body as ApprovalAsk
    return {
      approval_id: row.id, session_id: row.sessionId, command, description,
      pattern_key: patternKey, pattern_keys: patternKeys, max_scope: maxScope, ...contentToWire(content), ...foresightToWire(foresight),
      ...(budget === undefined ? {} : { budget: budget.map(({ scope, measure, used, limit, upTo }) => ({ scope, measure, used, limit, up_to: upTo })) }),
      requested_at: row.createdAt, timeout_seconds: timeoutS, expires_at: row.expiresAt ?? 0
    }
  }
  const { question, choices, timeoutS } = row.body as ClarifyAsk
  return {
    clarify_id: row.id, session_id: row.sessionId, question, choices_offered: choices,
    kind: choices.length > 0 ? 'choice' : 'open',
    requested_at: row.createdAt, timeout_seconds: timeoutS, expires_at: timeoutS === 0 ? 0 : row.expiresAt
  }
}

export function inOverview (prompt: PendingPrompt, session: { session_title: string, profile: string }): OpenPrompt {
  return 'approval_id' in prompt ? { type: 'approval', ...session, ...prompt } : { type: 'clarify', ...session, ...prompt }
}
