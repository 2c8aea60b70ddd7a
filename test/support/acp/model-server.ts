import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'

type Json = Record<string, any> // eslint-disable-line @typescript-eslint/no-explicit-any -- what real agents send is what is looked into

/**
 * What the model wants: to run a command, to write a text to a file, both with the tool names of the calling agent, or to say something.
 * `isPlain`: it asks for no rights beyond the agent's own sandbox.
 */
export type Wanted = { command: string, isPlain?: true } | { path: string, text: string } | { say: string } | 'nothing'

export interface ModelServer {
  url: string
  asked: string[]
  told: string[]
  /** Raw bodies of requests in turns; a request without tools asks for a title or the like. */
  bodies: string[]
  /** Sets what the model wants from now on. `nothing`: it accepts a request and does not answer. */
  want (wanted: Wanted): void
  close: () => void
}

/** Starts a model for real agents: it wants one thing to be done, and then reports the result. */
export async function startModelServer (first: Wanted): Promise<ModelServer> {
  let wanted = first
  const asked: string[] = []
  const told: string[] = []
  const bodies: string[] = []
  const server = createServer((request, response) => {
    void answer(request, response, () => wanted, asked, told, bodies).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, told, bodies, want: (next) => { wanted = next }, close: () => { server.closeAllConnections(); server.close() } }
}

async function answer (request: IncomingMessage, response: ServerResponse, now: () => Wanted, asked: string[], told: string[], bodies: string[]): Promise<void> {
  let text = ''
  for await (const piece of request) text += String(piece)
  const body = (text === '' ? {} : JSON.parse(text)) as Json
  asked.push(`${request.method ?? ''} ${request.url ?? ''}`)
  const path = (request.url ?? '').split('?')[0] ?? ''
  const isOfTurn = Array.isArray(body['tools']) && body['tools'].length > 0
  if (isOfTurn) bodies.push(text)
  const wanted = now()
  if (wanted === 'nothing' && isOfTurn) return
  if (path === '/v1/responses') {
    told.push(...((body['input'] ?? []) as Json[]).filter(({ type }) => type === 'function_call_output').map(({ output }) => String(output)))
    return responses(response, body, wanted)
  }
  if (path === '/v1/messages') return messages(response, body, wanted)
  if (path === '/v1/chat/completions') return completions(response, body, wanted)
  if (request.url?.includes(':streamGenerateContent') === true) return gemini(response, body, wanted)
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(path.endsWith('/count_tokens') ? { input_tokens: 10 } : request.url?.includes(':countTokens') === true ? { totalTokens: 10 } : request.url?.includes(':generateContent') === true ? { candidates: [{ content: { role: 'model', parts: [{ text: '{}' }] }, finishReason: 'STOP' }] } : { data: [] }))
}

/** Returns the command or the file that is still wanted; null if there is only something to say. */
function actionOf (wanted: Wanted, isAfter: boolean): Exclude<Wanted, string | { say: string }> | null {
  return isAfter || wanted === 'nothing' || 'say' in wanted ? null : wanted
}

const wordsOf = (wanted: Wanted): string => wanted !== 'nothing' && 'say' in wanted ? wanted.say : 'It is done.'

/** Finds the tool that runs a command, by any of its names, and fills in its other required arguments. */
function commandTool (tools: Json[], command: string): [string, Json] {
  const functions = tools.map((tool) => (tool['function'] ?? tool) as Json)
  const tool = functions.find(({ name }) => ['bash', 'run_shell_command', 'execute_command', 'run_commands', 'terminal', 'shell', 'Bash'].includes(String(name)))
  const properties = (tool?.['parameters']?.['properties'] ?? {}) as Json
  const required = (tool?.['parameters']?.['required'] ?? []) as string[]
  const key = ['command', 'commands', 'cmd', 'script'].find((each) => each in properties) ?? 'command'
  const rest = required.filter((each) => each !== key).map((each) => [each, properties[each]?.['type'] === 'boolean' ? false : properties[each]?.['type'] === 'number' || properties[each]?.['type'] === 'integer' ? 1 : 'Does it'])
  return [String(tool?.['name'] ?? 'bash'), { ...Object.fromEntries(rest), [key]: properties[key]?.['type'] === 'array' ? [command] : command }]
}

const begin = (response: ServerResponse): ((data: Json, event?: string) => void) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  return (data, event) => { response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`) }
}

/** Answers in OpenAI's Responses format; there, a file is written with a command too. */
function responses (response: ServerResponse, { input, tools }: Json, wanted: Wanted): void {
  const action = actionOf(wanted, JSON.stringify(input).includes('function_call_output'))
  const isAfter = action === null
  const names = ((tools ?? []) as Json[]).map(({ name }) => name as string)
  const command = action === null ? '' : 'command' in action ? action.command : `printf %s ${action.text} > ${action.path}`
  const more = action !== null && 'isPlain' in action ? {} : { sandbox_permissions: 'require_escalated', justification: 'It writes a file.' }
  const [name, args] = names.includes('exec_command') ? ['exec_command', { cmd: command, ...more }] : names.includes('shell_command') ? ['shell_command', { command, ...more }] : ['shell', { command: ['bash', '-lc', command], with_escalated_permissions: true, justification: 'It writes a file.' }]
  const item = isAfter
    ? { type: 'message', role: 'assistant', id: 'm1', content: [{ type: 'output_text', text: wordsOf(wanted) }] }
    : { type: 'function_call', id: 'f1', call_id: 'call-1', name, arguments: JSON.stringify(args) }
  const tell = begin(response)
  const event = (data: Json): void => tell(data, String(data['type']))
  event({ type: 'response.created', response: { id: 'r1' } })
  if (isAfter) {
    event({ type: 'response.output_item.added', item: { ...item, content: [] } })
    event({ type: 'response.output_text.delta', delta: wordsOf(wanted) })
  }
  event({ type: 'response.output_item.done', item })
  event({ type: 'response.completed', response: { id: 'r1', usage: { input_tokens: 100, input_tokens_details: { cached_tokens: 0 }, output_tokens: 10, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 110 } } })
  response.end()
}

/** Answers in Anthropic's Messages format, streamed or whole. */
function messages (response: ServerResponse, { messages: said, tools, stream, model }: Json, wanted: Wanted): void {
  const hasTools = ((tools ?? []) as unknown[]).length > 0
  const action = actionOf(wanted, !hasTools || JSON.stringify(said).includes('"tool_result"'))
  const isAfter = action === null
  const [name, input] = action === null ? ['', {}] : 'command' in action ? ['Bash', { command: action.command, description: 'Does it' }] : ['Write', { file_path: action.path, content: action.text }]
  const block = isAfter ? { type: 'text', text: wordsOf(wanted) } : { type: 'tool_use', id: 'toolu_1', name, input }
  const usage = { input_tokens: 100, output_tokens: 10 }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [block], stop_reason: isAfter ? 'end_turn' : 'tool_use', stop_sequence: null, usage }
  if (stream !== true) {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(message))
    return
  }
  const tell = begin(response)
  const event = (data: Json): void => tell(data, String(data['type']))
  event({ type: 'message_start', message: { ...message, content: [], stop_reason: null } })
  event({ type: 'content_block_start', index: 0, content_block: isAfter ? { type: 'text', text: '' } : { ...block, input: {} } })
  event({ type: 'content_block_delta', index: 0, delta: isAfter ? { type: 'text_delta', text: wordsOf(wanted) } : { type: 'input_json_delta', partial_json: JSON.stringify(input) } })
  event({ type: 'content_block_stop', index: 0 })
  event({ type: 'message_delta', delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage })
  event({ type: 'message_stop' })
  response.end()
}

/** Answers as OpenAI's chat completions, with the tools of OpenCode. */
function completions (response: ServerResponse, { messages: said, tools, stream }: Json, wanted: Wanted): void {
  const action = actionOf(wanted, ((tools ?? []) as unknown[]).length === 0 || ((said ?? []) as Json[]).some(({ role }) => role === 'tool'))
  const isAfter = action === null
  const [name, args] = action === null ? ['', {}] : 'command' in action ? commandTool((tools ?? []) as Json[], action.command) : ['write', { filePath: action.path, content: action.text }]
  if (stream !== true) {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ id: 'c1', object: 'chat.completion', created: 1, model: 'scripted', choices: [{ index: 0, message: { role: 'assistant', content: wordsOf(wanted) }, finish_reason: 'stop' }], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } }))
    return
  }
  const event = begin(response)
  const chunk = (delta: Json, finish: string | null): void => event({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'scripted', choices: [{ index: 0, delta, finish_reason: finish }] })
  chunk({ role: 'assistant', ...(isAfter ? { content: wordsOf(wanted) } : { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(args) } }] }) }, null)
  chunk({}, isAfter ? 'stop' : 'tool_calls')
  event({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'scripted', choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } })
  response.end('data: [DONE]\n\n')
}

/** Answers in Google's stream format. */
function gemini (response: ServerResponse, { contents }: Json, wanted: Wanted): void {
  const action = actionOf(wanted, JSON.stringify(contents).includes('functionResponse'))
  // Gemini CLI writes outside of its folder only with commands.
  const command = action === null ? '' : 'command' in action ? action.command : `printf %s ${action.text} > ${action.path}`
  const part = action === null ? { text: wordsOf(wanted) } : { functionCall: { name: 'run_shell_command', args: { command } } }
  begin(response)({ candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }], usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 } })
  response.end()
}
