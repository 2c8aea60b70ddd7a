import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'

type Json = Record<string, any> // eslint-disable-line @typescript-eslint/no-explicit-any -- what real agents send is what is looked into

/** A model as real agents ask one: it wants one command to be run, and then says what came of it. */
export async function startModelServer (command: string): Promise<{ url: string, asked: string[], close: () => void }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    void answer(request, response, command, asked).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close: () => { server.closeAllConnections(); server.close() } }
}

async function answer (request: IncomingMessage, response: ServerResponse, command: string, asked: string[]): Promise<void> {
  let text = ''
  for await (const piece of request) text += String(piece)
  const body = (text === '' ? {} : JSON.parse(text)) as Json
  asked.push(`${request.method ?? ''} ${request.url ?? ''}`)
  if (request.url?.startsWith('/v1/responses') === true) return responses(response, body, command)
  if (request.url?.includes(':streamGenerateContent') === true) return gemini(response, body, command)
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(request.url?.includes(':countTokens') === true ? { totalTokens: 10 } : request.url?.includes(':generateContent') === true ? { candidates: [{ content: { role: 'model', parts: [{ text: '{}' }] }, finishReason: 'STOP' }] } : { data: [] }))
}

/** OpenAI's responses. */
function responses (response: ServerResponse, { input, tools }: Json, command: string): void {
  const isAfter = JSON.stringify(input).includes('function_call_output')
  const names = ((tools ?? []) as Json[]).map(({ name }) => name as string)
  const [name, args] = names.includes('exec_command') ? ['exec_command', { cmd: command, sandbox_permissions: 'require_escalated', justification: 'It writes a file.' }] : names.includes('shell_command') ? ['shell_command', { command }] : ['shell', { command: ['bash', '-lc', command] }]
  const item = isAfter
    ? { type: 'message', role: 'assistant', id: 'm1', content: [{ type: 'output_text', text: 'It is done.' }] }
    : { type: 'function_call', id: 'f1', call_id: 'call-1', name, arguments: JSON.stringify(args) }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const event = (data: Json): void => { response.write(`event: ${String(data['type'])}\ndata: ${JSON.stringify(data)}\n\n`) }
  event({ type: 'response.created', response: { id: 'r1' } })
  if (isAfter) {
    event({ type: 'response.output_item.added', item: { ...item, content: [] } })
    event({ type: 'response.output_text.delta', delta: 'It is done.' })
  }
  event({ type: 'response.output_item.done', item })
  event({ type: 'response.completed', response: { id: 'r1', usage: { input_tokens: 100, input_tokens_details: { cached_tokens: 0 }, output_tokens: 10, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 110 } } })
  response.end()
}

/** Google's stream. */
function gemini (response: ServerResponse, { contents }: Json, command: string): void {
  const isAfter = JSON.stringify(contents).includes('functionResponse')
  const part = isAfter ? { text: 'It is done.' } : { functionCall: { name: 'run_shell_command', args: { command } } }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(`data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }], usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 } })}\n\n`)
}
