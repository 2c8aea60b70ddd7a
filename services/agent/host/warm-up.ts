import { createServer } from 'node:http'
import { readProfileSettings } from '../../ground/home/settings.js'
import { listenOnLoopback } from '../../ground/network/port-of.js'
import { resolveProviders, withoutForeignRedirects } from '../../providers/index.js'
import { streamStep } from '../engines/model-step.js'
import { createCompatibleModel } from '../model/compatible/compatible-model.js'
import { createLanguageModel } from '../model/language-model.js'
import { createTools } from '../tools/index.js'

const words = 40
const limitMs = 2_000

/**
 * Prepares what the first turn would otherwise wait for: the client of the profile's provider and, by one request to this very process,
 * everything that a request and its answer pass through. Sends nothing to any other server. Never rejects.
 */
export async function warmUp ({ profileHome, env }: { profileHome: string, env: Record<string, string> }): Promise<void> {
  await Promise.allSettled([openUsualModel(profileHome, env), answerMyself()])
}

async function openUsualModel (profileHome: string, env: Record<string, string>): Promise<void> {
  const settings = readProfileSettings(profileHome, env)
  const [entry] = resolveProviders({ env: settings.env, envFileKeys: settings.envFileKeys, config: settings.config, local: [] })
  if (entry !== undefined) await createLanguageModel(entry, { provider: entry.id, id: 'warm-up' })
}

async function answerMyself (): Promise<void> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let word = 0; word < words; word++) response.write(event({ delta: { content: `word${word} ` } }))
    response.end(event({ delta: {}, finish_reason: 'stop' }))
  }).on('error', () => {}) // without a connection there is no warm-up
  try {
    const baseUrl = `http://127.0.0.1:${await listenOnLoopback(server)}`
    await streamStep({
      model: createCompatibleModel({ baseUrl, apiKey: null, modelId: 'warm-up', fetch: withoutForeignRedirects() }),
      prompt: [{ role: 'system', content: 'Be ready.' }, { role: 'user', content: [{ type: 'text', text: 'Ready?' }] }],
      tools: createTools({}),
      mayCallTools: true,
      signal: AbortSignal.timeout(limitMs),
      firstChunkMs: limitMs,
      nextChunkMs: limitMs,
      turnRoom: 10_000,
      onSign () {},
      onWasted () {},
      onText () {},
      onReasoning () {},
      drained: () => undefined
    })
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

function event (choice: unknown): string {
  return `data: ${JSON.stringify({ choices: [choice] })}\n\n`
}
