import { type Static } from '@sinclair/typebox'
import { type Attention, type SessionRow as SessionRowSchema } from '../../../schemas/sessions.js'
import { type tables } from '../../ground/database/index.js'
import { hostOnWire, remoteFolder } from '../../ground/remote-folder.js'
import { redact } from '../../ground/redaction/index.js'

export type SessionRow = typeof tables.sessions.$inferSelect

export interface NewSession {
  /** Only for a caller that needs to know it beforehand. */
  id?: string
  profile: string
  workspace: string
  model?: string
  modelProvider?: string
  projectId?: string
  title?: string
  /** Kept out of every list: it runs beside another conversation, to which it belongs. */
  hidden?: boolean
  /** A temporary chat. It is hidden as well. */
  temporary?: boolean
  readOnly?: boolean
  source?: SessionRow['source']
  parentSessionId?: string
  relationshipType?: string
}

/** What is going on in a session right now, read from the rows of streams, prompts and queues, never from a flag. */
export interface Liveness {
  streamId: string | null
  startedAt: number | null
  approvals: number
  questions: number
  /** Number of queued messages. */
  queued: number
  /**
   * Epoch seconds at which a turn that waits for a provider's limit resumes; null: when a person says so. Absent: no turn waits for a
   * limit.
   */
  resumesAt?: number | null
}

export type SessionWire = Static<typeof SessionRowSchema>

export const idle: Liveness = { streamId: null, startedAt: null, approvals: 0, questions: 0, queued: 0 }

export interface DefaultModel {
  model: string | null
  provider: string | null
  /** Defaults on other machines, by machine, if they differ. */
  elsewhere?: Readonly<Record<string, { model: string | null, provider: string | null }>>
}

/** Returns the sidebar row of the interface. Sessions that never chose a model show the profile's default. */
export function sessionToWire (row: SessionRow, live: Liveness, fallback: DefaultModel, { masked }: { masked: boolean }): SessionWire {
  const title = masked ? redact(row.title) : row.title
  const shown = shownModel(row, fallback)
  return {
    session_id: row.id,
    title,
    display_title: title,
    workspace: row.workspace,
    ...hostOnWire(row.workspace),
    model: shown.model,
    model_provider: shown.provider,
    message_count: row.messageCount,
    user_message_count: row.userMessageCount,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    last_message_at: row.lastMessageAt,
    pinned: row.pinned,
    archived: row.archived,
    project_id: row.projectId,
    profile: row.profile,
    personality: row.personality,
    ...(row.mode === 'plan' ? { mode: row.mode } : {}),
    ...(row.temporary ? { temporary: true } : {}),
    input_tokens: row.inputTokens,
    output_tokens: row.outputTokens,
    cache_read_tokens: row.cacheReadTokens,
    cache_write_tokens: row.cacheWriteTokens,
    cache_hit_percent: percent(row.cacheReadTokens, row.inputTokens),
    estimated_cost: row.estimatedCost,
    context_length: row.contextLength,
    window_usage_percent: percent(row.lastPromptTokens, row.contextLength),
    session_source: row.source,
    source_tag: row.source,
    raw_source: row.source,
    is_cli_session: false,
    is_messaging_session: false,
    is_streaming: live.streamId !== null,
    active_stream_id: live.streamId,
    // The user's message is in the transcript from the moment it is accepted, so none is ever pending beside it.
    has_pending_user_message: false,
    pending_started_at: live.startedAt,
    default_hidden: row.hidden,
    worktree_path: row.worktreePath,
    worktree_branch: row.worktreeBranch,
    worktree_repo_root: row.worktreeRepoRoot,
    worktree_created_at: row.worktreeCreatedAt,
    parent_session_id: row.parentSessionId,
    relationship_type: row.relationshipType,
    read_only: row.readOnly,
    is_read_only: row.readOnly,
    attention: attentionOf(live),
    ...(live.queued === 0 ? {} : { queued_count: live.queued }),
    ...(live.resumesAt === undefined ? {} : { resumes_at: live.resumesAt })
  }
}

/** Whether it belongs to another conversation, beside which it runs. A temporary chat is hidden, too, but has a reader of its own. */
export const isBeside = ({ hidden, temporary }: Pick<SessionRow, 'hidden' | 'temporary'>): boolean => hidden && !temporary

/**
 * Returns the model that a session is shown with: its own, or the profile's default for the machine where it works. A model of its own is
 * never paired with another one's provider.
 */
export function shownModel (
  { model, modelProvider, workspace }: Pick<SessionRow, 'model' | 'modelProvider' | 'workspace'>, usual: DefaultModel
): { model: string | null, provider: string | null } {
  const fallback = usual.elsewhere?.[remoteFolder(workspace)?.machine ?? ''] ?? usual
  return model === null ? { model: fallback.model, provider: modelProvider ?? fallback.provider } : { model, provider: modelProvider }
}

/** A turn that asks how to continue at a limit counts as a question: clients know no third kind. */
function attentionOf ({ approvals, questions, resumesAt }: Liveness): Static<typeof Attention> | null {
  const asked = questions + (resumesAt === null ? 1 : 0)
  if (approvals > 0) return { kind: 'approval', count: approvals, severity: 'critical' }
  if (asked > 0) return { kind: 'clarify', count: asked, severity: 'question' }
  return null
}

/** Returns a rounded percentage; null when either side is unknown or zero. */
export function percent (part: number | null, whole: number | null): number | null {
  return part === null || whole === null || part === 0 || whole === 0 ? null : Math.round(part / whole * 100)
}
