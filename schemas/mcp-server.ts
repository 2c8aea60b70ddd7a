import { Type } from '@sinclair/typebox'
import { Anything, Closed, Id, OneOf } from './common.js'

const session = Id('the session_id of a chat')
const waitSeconds = Type.Optional(Type.Integer({
  minimum: 0, maximum: 600, default: 50,
  description: 'how long to wait at most for the end of the turn, or for something that wants an answer; 0: do not wait'
}))

/** Input of the tools of `/mcp`, by their names. */
export const mcpInputs = {
  list_sessions: Closed({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
    cursor: Type.Optional(Type.String({ maxLength: 200, description: 'next_cursor of the page before' })),
    archived: Type.Optional(Type.Boolean({ default: false, description: 'the archived ones as well' }))
  }),
  search_sessions: Closed({
    query: Type.String({ minLength: 1, maxLength: 500 }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 }))
  }),
  read_session: Closed({
    session_id: session,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 30, description: 'how many of the last messages' })),
    before: Type.Optional(Type.Integer({ minimum: 0, description: 'those before the message of this index' })),
    tool_results: Type.Optional(Type.Boolean({ default: false, description: 'what tools gave back as well' }))
  }),
  list_prompts: Closed({}),
  start_turn: Closed({
    message: Type.String({ minLength: 1, maxLength: 200_000 }),
    session_id: Type.Optional(Id('the chat to go on with; without one, a new chat begins')),
    workspace: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096, description: 'of a new chat: the folder it works in' })),
    wait_seconds: waitSeconds
  }),
  wait_for_turn: Closed({ session_id: session, wait_seconds: waitSeconds }),
  cancel_turn: Closed({ session_id: session }),
  answer_approval: Closed({
    session_id: session,
    approval_id: Id('which one, as list_prompts names it'),
    choice: OneOf(['once', 'session', 'deny'], 'once: this time; session: in this chat from now on. For good is for a person to say')
  }),
  answer_question: Closed({
    session_id: session,
    clarify_id: Id('which one, as list_prompts names it'),
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
  state: OneOf(['waiting', 'running', 'parked', 'ended'], 'waiting: for a person; parked: until `resumes_at`'),
  waits_for: Type.Optional(prompts),
  resumes_at: Type.Optional(maybe),
  ended: Type.Optional(Type.String({ description: 'how: completed, or why not' })),
  answer: Type.Optional(text)
})
const answered = Type.Object({ answered: Type.Boolean({ description: 'false: it did not wait any more' }) })

/** Output of the tools, as `structuredContent`. */
export const mcpOutputs = {
  list_sessions: Type.Object({ sessions: Type.Array(row), next_cursor: maybe }),
  search_sessions: Type.Object({ sessions: Type.Array(row), count: Type.Integer() }),
  read_session: Type.Object({
    session_id: text,
    title: maybe,
    message_count: Type.Integer(),
    active_turn_id: maybe,
    first_index: Type.Integer({ description: 'the index of the first message here' }),
    messages: Type.Array(Type.Object({ index: Type.Integer(), role: text, text, at: maybe }))
  }),
  list_prompts: Type.Object({ prompts }),
  start_turn: turn,
  wait_for_turn: turn,
  cancel_turn: Type.Object({ cancelled: Type.Boolean({ description: 'false: there was no turn' }) }),
  answer_approval: answered,
  answer_question: answered
} satisfies Record<keyof typeof mcpInputs, unknown>

/** JSON-RPC is not described further: the Model Context Protocol defines the messages, and the protocol's own code checks them. */
export const McpMessage = Anything('a message of the Model Context Protocol (JSON-RPC 2.0)')
