import { type Static } from '@sinclair/typebox'
import { type mcpInputs } from '../../../schemas/mcp-server.js'
import { type SearchAnswer } from '../../../schemas/sessions.js'
import { type SessionPage } from '../../../schemas/sessions-pages.js'
import { type Chat } from '../chat/index.js'
import { type Foreign } from '../foreign/index.js'
import { Invalid } from '../../ground/errors.js'
import { type Prompts, type Reader } from '../prompts/index.js'
import { windowLimit, type ListFlags, type Sessions } from '../sessions/index.js'
import { readMessages } from './transcript.js'
import { type McpTurnOutcome } from './turn-outcome.js'
import { watchTurn, type TurnWatchOptions } from './turn-watch.js'

export interface McpServices extends TurnWatchOptions {
  sessions: Sessions
  foreign: Pick<Foreign, 'detail'>
  chat: Chat
  prompts: Prompts
  /** Whether a session is available in a profile. */
  isSessionOf: (sessionId: string, profile: string) => boolean
  /** Throws Conflict if it is not. */
  assertSessionOf: (sessionId: string, profile: string) => void
  /** Opens a session, by default in the default folder, and resolves with its id. Throws NotFound for an unknown profile. */
  openSession: (wanted: { profile: string, workspace?: string }) => Promise<string>
}

/** The context of a tool call, besides its arguments. */
interface McpCall {
  profile: string
  /** Decides how prompts are shown to the caller. */
  reader: Reader
  /** Resolves the folder that the caller names, if it may choose one. Throws Invalid and Forbidden. */
  folder: (path: string) => Promise<string>
  signal: AbortSignal
  /** Reports progress to the caller, if it wants that. */
  progress: (line: string) => void
}

export type McpToolName = keyof typeof mcpInputs
type Input<Name extends McpToolName> = Static<typeof mcpInputs[Name]>
/** The implementation of each tool. Throws domain errors; resolves with JSON. */
export type McpTools = { [Name in McpToolName]: (input: Input<Name>, call: McpCall) => Promise<Record<string, unknown>> }

const searchDepth = 5

/** What programs can do through the Model Context Protocol. Everything uses the same services as the routes of the interface. */
export function createMcpTools (services: McpServices, { detail, outcome }: McpTurnOutcome): McpTools {
  const { sessions, chat, prompts, isSessionOf, openSession } = services

  /** Waits for a turn. Returns its state at the end of the time, with its answer if it is over. */
  async function waited (
    sessionId: string, streamId: string, waitSeconds: number, { reader, signal, progress }: McpCall
  ): Promise<Record<string, unknown>> {
    const limits = { limitMs: waitSeconds * 1_000, signal }
    return await outcome(sessionId, streamId, await watchTurn(services, { streamId, sessionId, reader, ...limits, onStep: progress }))
  }

  return {
    async list_sessions ({ limit = 20, cursor, archived = false }, { profile }) {
      const page = JSON.parse(
        sessions.pages.page({ ...flagsOf(profile), includeArchived: archived }, limit, cursor).body.toString()
      ) as Static<typeof SessionPage>
      return { sessions: [...page.pinned, ...page.sessions].map(summaryOf), next_cursor: page.next_cursor }
    },

    async search_sessions ({ query, limit = 20 }, { profile }) {
      const pieces = await sessions.search({ ...flagsOf(profile), includeArchived: true }, { query, content: true, depth: searchDepth })
      const found = JSON.parse(Buffer.concat(pieces).toString()) as Static<typeof SearchAnswer>
      return {
        sessions: found.sessions.slice(0, limit).map((row) => ({
          ...summaryOf({ ...row, preview: null }), match: row.match_preview ?? null
        })), count: found.count
      }
    },

    async read_session ({ session_id: id, limit = 30, before, tool_results: withResults = false }) {
      const found = await detail(id, { messages: true, window: { limit: Math.min(limit, windowLimit), before } })
      return {
        session_id: found.session_id, title: found.title, workspace: found.workspace, model: found.model,
        message_count: found.message_count,
        active_turn_id: found.active_stream_id, first_index: found._messages_offset, messages: readMessages(found, { withResults })
      }
    },

    list_prompts: async (
      _, { profile, reader }
    ) => ({ prompts: prompts.allOpen(reader).filter(({ session_id: id }) => isSessionOf(id, profile)) }),

    async start_turn ({ message, session_id: id, workspace, wait_seconds: waitSeconds = 50 }, call) {
      if (id !== undefined && workspace !== undefined) throw new Invalid('workspace is only for a new chat; this one already has a folder')
      const sessionId = id ??
        await openSession({ profile: call.profile, workspace: workspace === undefined ? undefined : await call.folder(workspace) })
      const { streamId } = await chat.send({ sessionId, message, explicitModelPick: false, attachments: [] })
      return await waited(sessionId, streamId, waitSeconds, call)
    },

    async wait_for_turn ({ session_id: id, wait_seconds: waitSeconds = 50 }, call) {
      const streamId = chat.activeStream(sessions.get(id).id) ?? chat.latestStreams(id, 1)[0]?.streamId
      if (streamId === undefined) throw new Invalid('This chat has no turn yet')
      return await waited(id, streamId, waitSeconds, call)
    },

    async cancel_turn ({ session_id: id }) {
      const streamId = chat.activeStream(sessions.get(id).id)
      return { cancelled: streamId !== undefined && chat.cancel(streamId) }
    },

    async answer_approval ({ session_id: id, approval_id: approvalId, choice }) {
      sessions.get(id)
      const { outcome } = await prompts.answerApproval(id, choice, approvalId, () => chat.liveRuns(id))
      if (outcome === 'other_pending') throw new Invalid('A different approval is waiting in this chat')
      return { answered: outcome !== 'stale' }
    },

    async answer_question ({ session_id: id, clarify_id: clarifyId, response }) {
      sessions.get(id)
      await prompts.answerQuestion(id, response, clarifyId)
      return { answered: true }
    }
  }
}

const flagsOf = (profile: string): ListFlags => ({
  profile, allProfiles: false, includeArchived: false, archivedLimit: 100, archivedOffset: 0, source: 'all'
})

/** Picks the fields of a row that help to find a chat. */
function summaryOf (row: Pick<Static<typeof SessionPage>['sessions'][number], 'session_id' | 'title' | 'workspace' | 'message_count' | 'updated_at' | 'is_streaming' | 'archived' | 'attention' | 'preview'>): Record<string, unknown> {
  return {
    session_id: row.session_id,
    title: row.title,
    workspace: row.workspace,
    message_count: row.message_count,
    updated_at: new Date(row.updated_at * 1_000).toISOString(),
    state: row.attention !== null ? 'waiting' : row.is_streaming ? 'running' : 'idle',
    ...(row.archived && { archived: true }),
    ...(row.preview !== null && { preview: row.preview })
  }
}
