import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { faults } from './faults.js'

interface Speech { model: string, words: number, everyMs: number, word?: string }

/** A model without faults: a number of words, one every few milliseconds. */
export const steady: Speech = { model: 'steady', words: 120, everyMs: 25 }
/** The longest possible answer, in characters of four bytes. */
export const flood: Speech = { model: 'flood', words: 512, everyMs: 2, word: '\u{1F30A}'.repeat(900) }
export const brief: Speech = { model: 'brief', words: 3, everyMs: 5 }

/** Starts a model endpoint on which the model `fault-<name>` has that fault, and every other model answers normally. */
export async function startFaultyEndpoint (): Promise<{ url: string, close (): Promise<void> }> {
  const attempts = new Map<string, number>()
  const server = createServer((request, response) => {
    response.on('error', () => {})
    void answer(request, response).catch(() => response.destroy())
  })
  async function answer (request: IncomingMessage, response: ServerResponse): Promise<void> {
    let received = ''
    for await (const part of request.setEncoding('utf8')) received += part as string
    if (request.url?.endsWith('/models') === true) return json(response, { object: 'list', data: [{ id: steady.model, object: 'model' }] })
    const body = received === '' ? {} : JSON.parse(received) as { model?: string, stream?: boolean, messages?: Array<{ role: string }> }
    const model = body.model ?? ''
    const fault = faults.find(({ name }) => model === `fault-${name}`)
    if (body.stream !== true) {
      return json(response, { choices: [{ index: 0, message: { role: 'assistant', content: 'A title' }, finish_reason: 'stop' }] })
    }
    if (fault === undefined) return await speak(response, [steady, flood].find((speech) => speech.model === model) ?? brief)
    const attempt = (attempts.get(model) ?? 0) + 1
    attempts.set(model, attempt)
    await fault.play({ response, attempt, afterTool: body.messages?.at(-1)?.role === 'tool' })
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async close () {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

function json (response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

async function speak (response: ServerResponse, { words, everyMs, word = 'w' }: Speech): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (
    delta: unknown, reason: string | null = null
  ): void => { response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`) }
  for (let count = 0; count < words && !response.destroyed; count++) {
    send({ content: `${word}${count} ` })
    await delay(everyMs)
  }
  send({}, 'stop')
  response.end('data: [DONE]\n\n')
}
