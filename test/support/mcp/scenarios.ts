import { CookieBrowser } from '../identity-provider.js'
import { type Scenario } from './conformance.js'
import { eventually, said } from '../chat.js'
import { type McpService } from './servers.js'

interface ServerState { name: string, status: string, error: string | null, tools: Array<{ name: string, tool: string }> }
interface ToolCall { name: string, arguments: Record<string, unknown> }

/** Arguments for tools for which the suite names none. */
const usualArguments: Record<string, Record<string, unknown>> = { add_numbers: { a: 5, b: 3 } }
const mostSignIns = 3
let played = 0

/** Makes the service do with a server of the suite what its users do: set it up, sign in if required, and call its tools. */
export async function playScenario (service: McpService, { scenario, url, context }: Scenario): Promise<unknown> {
  const name = `s${++played}`
  const { client_id: clientId, client_secret: clientSecret, toolCalls } = context as { client_id?: string, client_secret?: string, toolCalls?: ToolCall[] }
  const issuer = scenario.startsWith('auth/') ? await issuerOf(url) : null
  const server = {
    url, timeout: 60, connect_timeout: 60,
    ...(issuer === null ? {} : { oauth: { issuer, ...(clientId === undefined ? {} : { client_id: clientId, client_secret: clientSecret }) } })
  }
  service.configure({ mcp_servers: { [name]: server }, approvals: { allow: ['mcp:*'] } })
  let state = await restarted(service, name)
  const said: unknown[] = [state.status, state.error]
  const calls = (): ToolCall[] => toolCalls ?? state.tools.map(({ tool }) => ({ name: tool, arguments: usualArguments[tool] ?? {} }))
  for (let signIns = 0; state.status === 'needs_sign_in' && signIns < mostSignIns; signIns++) {
    await signIn(service, name)
    state = await restarted(service, name)
  }
  for (const call of calls()) {
    for (let signIns = 0; signIns < mostSignIns; signIns++) {
      const known = state.tools.find(({ tool }) => tool === call.name)
      if (known === undefined) throw new Error(`There is no tool ${call.name}: ${JSON.stringify(said)}`)
      const result = await fitting(service, known.name, call.arguments)
      said.push(result)
      state = await stateOf(service, name)
      if (state.status !== 'needs_sign_in') break
      await signIn(service, name)
      state = await restarted(service, name)
    }
  }
  if (state.status !== 'ready') throw new Error(JSON.stringify([state.status, state.error, said]))
  return said
}

interface Field { name: string, type: string, required: boolean, options?: Array<{ value: string }>, default?: unknown }

function filledIn (fields: Field[] = []): unknown {
  if (fields.length === 0) return 'Yes'
  const value = ({ type, options, default: usual }: Field): unknown => usual ?? options?.[0]?.value ?? ({ boolean: true, number: 1, integer: 1 } as Record<string, unknown>)[type] ?? 'anything'
  return Object.fromEntries(fields.filter((field) => field.required || field.default !== undefined).map((field) => [field.name, value(field)]))
}

/** Returns the result of a call, repeated with the required arguments if they are missing. */
async function fitting (service: McpService, tool: string, args: Record<string, unknown>): Promise<string> {
  const model = service.model([{ tool, args }], [{ text: 'Done.' }])
  const session = await service.newSession()
  const reader = await service.watch(await service.send(session, 'Do it', { model }))
  let isOver = false
  void reader.ended.then(() => { isOver = true })
  // Forms are sent with their prefilled values, and with a yes where a field has none.
  await eventually('the end of the turn', async () => {
    const { pending } = (await service.get(`/api/clarify/pending?session_id=${session}`)).body
    if (pending !== null) await service.post('/api/clarify/respond', { session_id: session, clarify_id: pending.clarify_id, response: filledIn(pending.form?.fields) })
    return isOver
  })
  const result = said(service.requests(model)[1], 'tool').at(-1) ?? ''
  const missing = /must have required property '(\w+)'/.exec(result)?.[1]
  return missing === undefined || missing in args ? result : await fitting(service, tool, { ...args, [missing]: 'anything' })
}

const stateOf = async (service: McpService, name: string): Promise<ServerState> =>
  (await service.get('/api/mcp/servers')).body.servers.find((server: ServerState) => server.name === name)

async function restarted (service: McpService, name: string): Promise<ServerState> {
  await service.post(`/api/mcp/servers/${name}/restart`)
  const state = await eventually('its start', async () => {
    const state = await stateOf(service, name)
    return state.status === 'starting' ? false : state
  })
  // The first restart may come while the host is still starting.
  return state.status === 'idle' ? await restarted(service, name) : state
}

async function signIn (service: McpService, name: string): Promise<void> {
  const begun = await service.post(`/api/mcp/servers/${name}/sign-in`)
  if (begun.status !== 200) throw new Error(begun.text)
  const cookie = begun.headers.getSetCookie()[0]!.split(';')[0]!
  const { url } = await new CookieBrowser().visit(begun.body.url, (address) => address.startsWith(service.url))
  const { status, text } = await service.get(url.slice(service.url.length), { cookie })
  if (status !== 200) throw new Error(text)
}

/** Returns the authorization server that an operator would configure: it is neither public nor reached over TLS. */
async function issuerOf (url: string): Promise<string | null> {
  const refused = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }, body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' }) })
  const named = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1]
  const { origin, pathname } = new URL(url)
  for (const address of [...(named === undefined ? [] : [named]), `${origin}/.well-known/oauth-protected-resource${pathname}`, `${origin}/.well-known/oauth-protected-resource`]) {
    const answer = await fetch(address)
    if (answer.ok) return (await answer.json() as { authorization_servers: string[] }).authorization_servers[0] ?? null
  }
  return null
}
