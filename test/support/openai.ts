import OpenAI from 'openai'
import { type Test } from '#test'
import { startChat, type ChatService } from './chat.js'

export const gated = { env: { SVC_WEBUI_PASSWORD: 'correct horse' } }

/** Starts a service behind a password, and an OpenAI client with a token of this scope. */
export async function withClient (t: Test, scope = 'chat', options = {}): Promise<{ service: ChatService, client: OpenAI, me: { cookie: string }, token: string, id: string }> {
  const service = await startChat(t, { ...gated, ...options })
  const signedIn = await service.post('/api/auth/login', { password: 'correct horse' })
  const me = { cookie: signedIn.headers.get('set-cookie')!.split(';')[0]! }
  const { token, device } = (await service.post('/api/auth/tokens/create', { name: 'script', scope }, me)).body
  return { service, me, token, id: device.id, client: new OpenAI({ baseURL: `${service.url}/v1`, apiKey: token, maxRetries: 0 }) }
}

/** Fails unless the client throws an error that contains this. */
export async function refused (t: Test, asked: Promise<unknown>, expected: object): Promise<void> {
  t.match(await asked.then(() => null, (error: unknown) => error), expected)
}
