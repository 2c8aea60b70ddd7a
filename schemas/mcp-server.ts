import { Type } from '@sinclair/typebox'
import { Anything, Closed, Id, OneOf } from './common.js'

const session = Id('the session_id of a chat')
const waitSeconds = Type.Optional(Type.Integer({
  minimum: 0, maximum: 600, default: 50,
  description: 'how long to wait at most until the turn ends, or needs an answer; 0: do not wait'
}))

/** The arguments of the tools of `/mcp`, by name. */
export const mcpInputs = {
  list_sessions: Closed({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
    cursor: Type.Optional(Type.String({ maxLength: 200, description: 'next_cursor of the previous page' })),
    archived: Type.Optional(Type.Boolean({ default: false, description: 'also list archived chats' }))
  }),
  search_sessions: Closed({
    query: Type.String({ minLength: 1, maxLength: 500 }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 }))
  }),
  read_session: Closed({
    session_id: session,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 30, description: 'how many messages, from the last one backwards' })),
    before: Type.Optional(Type.Integer({ minimum: 0, description: 'only messages before the one with this index' })),
    tool_results: Type.Optional(Type.Boolean({ default: false, description: 'also return the results of tools' }))
  }),
  list_prompts: Closed({}),
  start_turn: Closed({
    message: Type.String({ minLength: 1, maxLength: 200_000 }),
    session_id: Type.Optional(Id('the chat to continue; by default, a new chat begins')),
    workspace: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096, description: 'the folder in which a new chat works' })),
    wait_seconds: waitSeconds
  }),
  wait_for_turn: Closed({ session_id: session, wait_seconds: waitSeconds }),
  cancel_turn: Closed({ session_id: session }),
  answer_approval: Closed({
    session_id: session,
    approval_id: Id('the approval_id of the prompt, from list_prompts'),
    choice: OneOf(['once', 'session', 'deny'], 'once: this time; session: from now on in this chat. Only a person can allow it for good')
  }),
  answer_question: Closed({
    session_id: session,
    clarify_id: Id('the clarify_id of the prompt, from list_prompts'),
    response: Type.String({ minLength: 1, maxLength: 20_000 })
  })
}

const text = Type.String()
const maybe = Type.Union([text, Type.Null()])
/** The fields of an answer that programs read; it may have more. */
const row = Type.Object({
  session_id: text, title: maybe, workspace: maybe, message_count: Type.Integer(), updated_at: text,
  state: OneOf(['waiting', 'running', 'idle'])
})
const prompts = Type.Array(Type.Object({ session_id: text }))
const turn = Type.Object({
  session_id: text,
  turn_id: text,
  state: OneOf(['waiting', 'running', 'parked', 'ended'], 'waiting: for a person; parked: until `resumes_at`, when it continues'),
  waits_for: Type.Optional(prompts),
  resumes_at: Type.Optional(maybe),
  ended: Type.Optional(Type.String({ description: 'completed, or the reason why it was not completed' })),
  answer: Type.Optional(text)
})
const answered = Type.Object({ answered: Type.Boolean({ description: 'false: it was no longer waiting' }) })

/** The answers of the tools, as `structuredContent`. */
export const mcpOutputs = {
  list_sessions: Type.Object({ sessions: Type.Array(row), next_cursor: maybe }),
  search_sessions: Type.Object({ sessions: Type.Array(row), count: Type.Integer() }),
  read_session: Type.Object({
    session_id: text,
    title: maybe,
    message_count: Type.Integer(),
    active_turn_id: maybe,
    first_index: Type.Integer({ description: 'the index of the first message in `messages`' }),
    messages: Type.Array(Type.Object({ index: Type.Integer(), role: text, text, at: maybe }))
  }),
  list_prompts: Type.Object({ prompts }),
  start_turn: turn,
  wait_for_turn: turn,
  cancel_turn: Type.Object({ cancelled: Type.Boolean({ description: 'false: no turn was running' }) }),
  answer_approval: answered,
  answer_question: answered
} satisfies Record<keyof typeof mcpInputs, unknown>

/**
 * JSON-RPC is not described further: the Model Context Protocol defines it, and its own code checks the messages.
 */
export const McpMessage = Anything('a message of the Model Context Protocol (JSON-RPC 2.0)')
