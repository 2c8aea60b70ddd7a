import { type PlanEntry, type SessionUpdate, type ToolCallContent, type ToolKind } from '@agentclientprotocol/sdk'
import { isAbsolute, join } from 'node:path'
import { type TurnFrame, type Wire } from '../clients/typescript/src/index.js'

type Called = Wire<'ToolStarted'>
type Completed = Wire<'ToolCompleted'>
type Message = Wire<'Message'>

const kinds = new Map(Object.entries<ToolKind>({
  read_file: 'read', list_files: 'search', search_files: 'search', session_search: 'search', write_file: 'edit', edit_file: 'edit',
  terminal: 'execute', web_fetch: 'fetch', todo: 'think'
}))

const textOf = (text: string) => ({ type: 'text' as const, text })
const contentOf = (text: string): ToolCallContent[] => text === '' ? [] : [{ type: 'content', content: textOf(text) }]

/** Translates a frame into updates for an editor: mostly one, for some frames none. `folder` is where the session works. */
export function updatesOf ({ event, data }: TurnFrame, folder: string): SessionUpdate[] {
  switch (event) {
    case 'token': return [{ sessionUpdate: 'agent_message_chunk', content: textOf(data.text) }]
    case 'reasoning': return [{ sessionUpdate: 'agent_thought_chunk', content: textOf(data.text) }]
    case 'tool': return [{ sessionUpdate: 'tool_call', ...callOf(data, folder), status: 'pending' }]
    case 'tool_complete': return [completed(data)]
    case 'todo_state': return [{ sessionUpdate: 'plan', entries: planOf(data) }]
    case 'title': return [{ sessionUpdate: 'session_info_update', title: data.title }]
    case 'warning': return [{ sessionUpdate: 'agent_thought_chunk', content: textOf(`\n[${data.message}]\n`) }]
    case 'done': return 'terminal_state' in data ? usageOf(data) : []
    default: return []
  }
}

/** Returns a call as an editor shows it, in the conversation and in a request for permission. */
export function callOf (call: Called, folder: string) {
  const { file, diff, diff_note: note } = call
  const path = file ?? (typeof call.args.path === 'string' ? call.args.path : undefined)
  return {
    toolCallId: call.tool_call_id,
    title: call.preview === '' ? call.name : call.preview,
    name: call.name,
    kind: kinds.get(call.name) ?? 'other',
    rawInput: call.args,
    content: contentOf(diff === undefined ? note ?? '' : fenced(diff, 'diff')),
    ...(path !== undefined && { locations: [{ path: isAbsolute(path) ? path : join(folder, path) }] })
  }
}

/** Returns a text in a code fence that the text itself does not close. */
export function fenced (text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

function completed ({ tool_call_id: id, is_error: isError, preview }: Completed): SessionUpdate {
  return {
    sessionUpdate: 'tool_call_update', toolCallId: id, status: isError ? 'failed' : 'completed',
    content: contentOf(preview === '' ? '' : fenced(preview))
  }
}

function planOf ({ todos }: Wire<'TodoState'>): PlanEntry[] {
  return todos.flatMap(({ content, status }) => status === 'cancelled' ? [] : [{ content, priority: 'medium', status }])
}

/** Returns how full the context is, if both numbers are known, and the cost if that is known. */
function usageOf ({ usage }: Wire<'Done'>): SessionUpdate[] {
  const { last_prompt_tokens: used, context_length: size, estimated_cost: cost } = usage
  if (used == null || size == null) return []
  return [{ sessionUpdate: 'usage_update', used, size, ...(cost != null && { cost: { amount: cost, currency: 'USD' } }) }]
}

/** Translates a stored message, for an editor that opens a session again. */
export function updatesOfMessage (message: Message): SessionUpdate[] {
  const text = typeof message.content === 'string'
    ? message.content
    : message.content.map((part) => typeof part.text === 'string' ? part.text : '').join('\n')
  if (message.role === 'user') return text === '' ? [] : [{ sessionUpdate: 'user_message_chunk', content: textOf(text) }]
  if (message.role === 'tool') {
    return message.tool_call_id === undefined
      ? []
      : [{
          sessionUpdate: 'tool_call_update', toolCallId: message.tool_call_id, status: message.is_error === true ? 'failed' : 'completed',
          content: contentOf(text === '' ? '' : fenced(text))
        }]
  }
  if (message.role !== 'assistant') return []
  return [
    ...(message.reasoning === undefined || message.reasoning === ''
      ? []
      : [{ sessionUpdate: 'agent_thought_chunk' as const, content: textOf(message.reasoning) }]),
    ...(text === '' ? [] : [{ sessionUpdate: 'agent_message_chunk' as const, content: textOf(text) }]),
    ...(message.tool_calls ?? []).map((call): SessionUpdate => {
      const name = call.function?.name ?? 'tool'
      return {
        sessionUpdate: 'tool_call', toolCallId: call.id ?? '', title: name, name, kind: kinds.get(name) ?? 'other', status: 'pending'
      }
    })
  ]
}
