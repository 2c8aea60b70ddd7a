import { type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { type TestLike } from './app.js'
import { serving } from './listening.js'

export interface SpeechCall {
  path: string
  headers: IncomingHttpHeaders
  /** Bytes as sent. */
  bytes: Buffer
  /** Parses a form; file contents are a File. */
  form (): Promise<FormData>
  json (): Record<string, unknown>
}

export interface SpeechEndpoint {
  /** Base address, with /v1. */
  url: string
  calls: SpeechCall[]
  /** Determines every further answer. */
  answer: (call: SpeechCall, response: ServerResponse) => void | Promise<void>
}

/** Starts a server that transcribes or speaks, as the test says. */
export async function startSpeechEndpoint (t: TestLike, answer: SpeechEndpoint['answer']): Promise<SpeechEndpoint> {
  const origin = await serving(t, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => {
      const bytes = Buffer.concat(chunks)
      const call: SpeechCall = {
        path: request.url!,
        headers: request.headers,
        bytes,
        form: async () => await new Response(new Uint8Array(bytes), { headers: { 'content-type': request.headers['content-type']! } }).formData(),
        json: () => JSON.parse(bytes.toString()) as Record<string, unknown>
      }
      endpoint.calls.push(call)
      void endpoint.answer(call, response)
    })
  })
  const endpoint: SpeechEndpoint = { url: `${origin}/v1`, calls: [], answer }
  return endpoint
}

export function answerJson (response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
