import { type Static } from '@sinclair/typebox'
import { type Message, type SessionDetail, type SessionStatus, type ToolCard } from '../../schemas/sessions.js'
import { type ForeignIndex } from './foreign-index.js'
import { type ForeignRow } from './tally.js'
import { NotFound } from '../ground/errors.js'
import { redactDeep } from '../ground/redaction/index.js'
import { type Workspace } from '../workspace/index.js'
import {
  exportFormat, idle, sessionToWire, shortened, windowLimit, type DetailOptions, type ForeignConversation, type ForeignRows, type ListFlags, type SessionRow, type Sessions, type SessionWire
} from '../sessions/index.js'

/** How many a list shows beside this service's own. */
const listedBeside = 20
const listedAlone = 2_000

export interface ForeignOptions {
  index: ForeignIndex
  sessions: Pick<Sessions, 'adopt' | 'isMasked'>
  workspace: Pick<Workspace, 'defaultFolder' | 'folder'>
  /** The profile in whose lists they appear. */
  profile: () => string
  isShown: (source: ForeignRow['source']) => boolean
}

/** Conversations of other front ends, in the shapes of our own: they can be seen and branched, and not written to. */
export function createForeign ({ index, sessions, workspace, profile, isShown }: ForeignOptions) {
  const { isMasked } = sessions
  const shown = (): ForeignRow[] => index.list().filter((row) => isShown(row.source))

  function find (id: string): ForeignRow | undefined {
    const row = index.get(id)
    return row !== undefined && isShown(row.source) ? row : undefined
  }

  function toWire (row: ForeignRow): SessionWire {
    const label = row.source === 'claude_code' ? 'claude_code' : 'cli'
    return {
      ...sessionToWire(asSession(row, profile()), idle, { model: row.model, provider: null }, { masked: isMasked() }),
      session_source: 'cli', source_tag: label, raw_source: label, is_cli_session: true
    }
  }

  /** Throws NotFound. */
  function row (id: string): SessionWire {
    return toWire(existing(id))
  }

  function existing (id: string): ForeignRow {
    const found = find(id)
    if (found === undefined) throw new NotFound('Session not found')
    return found
  }

  /** Its rows, to be taken over into a session of ours. Throws NotFound. */
  async function conversation (id: string): Promise<Omit<ForeignConversation, 'workspace' | 'profile'> & { workspace: string | null }> {
    const row = existing(id)
    const { messages, toolCalls, counted, replay } = await index.transcript(id)
    const cards = new Map(toolCalls.map((text) => JSON.parse(text) as { tid: string, assistant_msg_idx: number }).map((card) => [card.tid, card]))
    return {
      title: row.title ?? 'Untitled',
      workspace: row.workspace,
      rows: messages.map((text, index) => {
        const body = JSON.parse(text) as Record<string, unknown>
        const card = body.role === 'tool' ? cards.get(String(body.tool_call_id ?? '')) : undefined
        return {
          role: String(body.role),
          body,
          counted: counted[index] ?? true,
          replay: replay[index],
          createdAtS: Number(body._ts ?? row.lastMessageAt),
          ...(card === undefined ? {} : { card: { ...card }, assistantPosition: card.assistant_msg_idx })
        }
      })
    }
  }

  return {
    has: (id: string): boolean => find(id) !== undefined,

    rows ({ profile: wanted, allProfiles, source }: ListFlags): ForeignRows {
      const rows = source === 'webui' || (!allProfiles && wanted !== profile()) ? [] : shown()
      return { rows: rows.slice(0, source === 'cli' ? listedAlone : listedBeside).map(toWire), total: rows.length }
    },

    /** The folder it worked in. Throws NotFound. */
    workspaceOf: (id: string): string => row(id).workspace,

    /** Where it stands: nothing runs in it here. Throws NotFound. */
    status (id: string): Static<typeof SessionStatus> {
      const shown = row(id)
      return {
        session_id: shown.session_id,
        title: shown.title,
        model: shown.model,
        profile: shown.profile,
        workspace: shown.workspace,
        personality: shown.personality,
        message_count: shown.message_count,
        agent_running: false,
        is_streaming: false,
        active_stream_id: null,
        pending_user_message: null,
        input_tokens: shown.input_tokens,
        output_tokens: shown.output_tokens,
        total_tokens: shown.input_tokens + shown.output_tokens,
        estimated_cost: shown.estimated_cost,
        created_at: shown.created_at,
        updated_at: shown.updated_at
      }
    },

    /** It as one JSON document, which an import makes a session of ours from. Throws NotFound. */
    async exported (id: string): Promise<Record<string, unknown>> {
      const { messages, toolCalls, replay } = await index.transcript(id)
      const document = { format: exportFormat, ...row(id), messages: messages.map(parsed), tool_calls: toolCalls.map(parsed), context_messages: replay }
      return isMasked() ? redactDeep(document) : document
    },

    /** The session object with its messages. Throws NotFound. */
    async detail (id: string, { messages: wanted, window = {} }: DetailOptions): Promise<Static<typeof SessionDetail>> {
      const head = row(id)
      const { messages, toolCalls, counted } = wanted ? await index.transcript(id) : { messages: [], toolCalls: [], counted: [] }
      const end = Math.min(Math.max(0, window.before ?? messages.length), messages.length)
      const offset = window.limit === undefined ? 0 : windowStart(counted.slice(0, end), window.limit)
      const clean = <T>(value: T): T => isMasked() ? redactDeep(value) : value
      const cards = toolCalls.map((text) => JSON.parse(text) as Static<typeof ToolCard>).filter(({ assistant_msg_idx: index }) => index >= offset && index < end)
      const shown = messages.slice(offset, end).map((text) => JSON.parse(text) as Static<typeof Message>)
      return {
        ...head,
        message_count: wanted ? messages.length : head.message_count,
        messages: (window.limit === undefined ? shown : inWindow(shown, cards)).map(clean),
        tool_calls: cards.map(clean),
        pending_user_message: null,
        pending_attachments: [],
        threshold_tokens: null,
        last_prompt_tokens: null,
        compression_anchor_visible_idx: null,
        compression_anchor_message_key: null,
        compression_anchor_summary: null,
        todo_state: null,
        runtime_journal: null,
        _messages_truncated: window.limit !== undefined && offset > 0,
        _messages_offset: offset,
        _msg_limit_max: windowLimit
      }
    },

    /** Makes a session of our own from its first messages. Throws NotFound. */
    async adopt (id: string, { profile, ...wanted }: { keep?: number, title?: string, profile: string }): Promise<SessionRow> {
      const found = await conversation(id)
      // Its folder may be gone, or be one that no session may work in.
      const folder = found.workspace === null ? workspace.defaultFolder : await workspace.folder(found.workspace).catch(() => workspace.defaultFolder)
      return await sessions.adopt(id, { ...found, workspace: folder, profile }, wanted)
    },

    refresh: () => index.refresh()
  }
}

const parsed = (text: string): unknown => JSON.parse(text)

export type Foreign = ReturnType<typeof createForeign>

/** Rows of tools whose call stands before the window are left out with their cards; long ones are shortened. */
function inWindow (messages: Array<Static<typeof Message>>, cards: Array<Static<typeof ToolCard>>): Array<Static<typeof Message>> {
  const called = new Set<unknown>(cards.map(({ tid }) => tid))
  return messages.filter((message) => message.role !== 'tool' || called.has(message.tool_call_id))
    .map((message) => message.role === 'tool' ? JSON.parse(shortened(JSON.stringify(message))) as Static<typeof Message> : message)
}

function windowStart (counted: boolean[], limit: number): number {
  let left = limit
  for (let index = counted.length - 1; index >= 0; index--) if (counted[index] === true && --left === 0) return index
  return counted.includes(true) ? 0 : Math.max(0, counted.length - limit)
}

function asSession (row: ForeignRow, profile: string): SessionRow {
  return {
    id: row.id, profile, title: row.title ?? 'Untitled', titleSource: 'automatic', workspace: row.workspace ?? '', model: row.model, modelProvider: null,
    personality: null, projectId: null, source: 'webui', parentSessionId: null, relationshipType: null, readOnly: true, hidden: false, pinned: false,
    archived: false, worktreePath: null, worktreeBranch: null, worktreeRepoRoot: null, worktreeCreatedAt: null, createdAt: row.createdAt,
    updatedAt: row.lastMessageAt, lastMessageAt: row.lastMessageAt, messageCount: row.messageCount, userMessageCount: row.userMessageCount,
    inputTokens: row.inputTokens, outputTokens: row.outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, estimatedCost: null, contextLength: null,
    thresholdTokens: null, lastPromptTokens: null, todos: null, compressionSummary: null, compressedBefore: null, draft: null, generation: 0
  }
}
