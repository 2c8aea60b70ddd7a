import { type Static } from '@sinclair/typebox'
import { isAbsolute } from 'node:path'
import { type SessionDetail, type SessionStatus } from '../../../schemas/sessions.js'
import { createPace } from '../../ground/concurrency/pace.js'
import { redactDeepGently } from '../../ground/redaction/index.js'
import { idle, sessionToWire, shortened, windowLimit, type DetailOptions, type SessionRow, type SessionWire, type WireCard, type WireMessage } from '../sessions/index.js'
import { type ForeignRow } from './tally.js'
import { type ForeignTranscript } from './transcript.js'

type ShownTranscript = Pick<ForeignTranscript, 'messages' | 'toolCalls' | 'counted'>

/** A conversation of another front end as a row of a list. `profile`: the one in whose lists it appears. */
export function foreignToWire (row: ForeignRow, profile: string, { masked }: { masked: boolean }): SessionWire {
  const label = row.source === 'claude_code' ? 'claude_code' : 'cli'
  return {
    ...sessionToWire(asSession(row, profile), idle, { model: row.model, provider: null }, { masked }),
    session_source: 'cli', source_tag: label, raw_source: label, is_cli_session: true
  }
}

/** Returns its status: nothing runs in it here. */
export function statusOf (row: SessionWire): Omit<Static<typeof SessionStatus>, 'silent'> {
  return {
    session_id: row.session_id,
    title: row.title,
    model: row.model,
    profile: row.profile,
    workspace: row.workspace,
    personality: row.personality,
    message_count: row.message_count,
    agent_running: false,
    is_streaming: false,
    active_stream_id: null,
    pending_user_message: null,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    total_tokens: row.input_tokens + row.output_tokens,
    estimated_cost: row.estimated_cost,
    created_at: row.created_at,
    updated_at: row.updated_at
  }
}

/** Returns the session object with its messages, which are read with pauses; `transcript` null: without them. */
export async function detailOf (
  head: SessionWire, transcript: ShownTranscript | null, window: NonNullable<DetailOptions['window']>, { masked }: { masked: boolean }
): Promise<Static<typeof SessionDetail>> {
  const { messages, toolCalls, counted } = transcript ?? { messages: [], toolCalls: [], counted: [] }
  const end = Math.min(Math.max(0, window.before ?? messages.length), messages.length)
  const offset = window.limit === undefined ? 0 : windowStart(counted.slice(0, end), window.limit)
  const clean = async <T>(values: readonly T[]): Promise<T[]> =>
    masked ? await inTurn(values, async (value) => await redactDeepGently(value)) : [...values]
  const read = async (texts: readonly string[]): Promise<unknown[]> => await inTurn(texts, async (text) => JSON.parse(text) as unknown)
  const cards = (await read(toolCalls) as WireCard[]).filter(({ assistant_msg_idx: index }) => index >= offset && index < end)
  const shown = await read(messages.slice(offset, end)) as WireMessage[]
  return {
    ...head,
    message_count: transcript === null ? head.message_count : messages.length,
    messages: await clean(window.limit === undefined ? shown : inWindow(shown, cards)),
    tool_calls: await clean(cards),
    pending_user_message: null,
    pending_attachments: [],
    threshold_tokens: null,
    last_prompt_tokens: null,
    compression_anchor_visible_idx: null,
    compression_anchor_message_key: null,
    compression_anchor_summary: null,
    todo_state: null,
    composer_draft: null,
    runtime_journal: null,
    _messages_truncated: window.limit !== undefined && offset > 0,
    _messages_offset: offset,
    _msg_limit_max: windowLimit
  }
}

async function inTurn<From, To> (values: readonly From[], make: (value: From) => Promise<To>): Promise<To[]> {
  const pace = createPace()
  const made: To[] = []
  for (const value of values) {
    made.push(await make(value))
    await pace()
  }
  return made
}

/** Leaves out tool rows whose call is before the window, together with their cards; shortens long ones. */
function inWindow (messages: WireMessage[], cards: WireCard[]): WireMessage[] {
  const called = new Set<unknown>(cards.map(({ tid }) => tid))
  return messages.filter((message) => message.role !== 'tool' || called.has(message.tool_call_id))
    .map((message) => message.role === 'tool' ? JSON.parse(shortened(JSON.stringify(message))) as WireMessage : message)
}

function windowStart (counted: boolean[], limit: number): number {
  let left = limit
  for (let index = counted.length - 1; index >= 0; index--) if (counted[index] === true && --left === 0) return index
  return counted.includes(true) ? 0 : Math.max(0, counted.length - limit)
}

function asSession (row: ForeignRow, profile: string): SessionRow {
  return {
    id: row.id, profile, title: row.title ?? 'Untitled', titleSource: 'automatic', workspace: folderOf(row), model: row.model,
    modelProvider: null,
    personality: null, mode: 'default', projectId: null, source: 'webui', parentSessionId: null, versionIndex: null, relationshipType: null, readOnly: true,
    hidden: false,
    temporary: false, pinned: false,
    archived: false, worktreePath: null, worktreeBranch: null, worktreeRepoRoot: null, worktreeCreatedAt: null, createdAt: row.createdAt,
    updatedAt: row.lastMessageAt, lastMessageAt: row.lastMessageAt, lastSaid: null, redactedLastSaid: null, messageCount: row.messageCount,
    userMessageCount: row.userMessageCount,
    inputTokens: row.inputTokens, outputTokens: row.outputTokens, cacheReadTokens: row.cacheReadTokens, cacheWriteTokens: 0,
    estimatedCost: null, contextLength: null,
    thresholdTokens: null, lastPromptTokens: null, todos: null, compressionSummary: null, compressedBefore: null, draft: null, generation: 0
  }
}

/** It worked on this machine, whatever its file says, so the name of another machine's folder does not count. */
const folderOf = ({ workspace }: ForeignRow): string => workspace !== null && isAbsolute(workspace) ? workspace : ''
