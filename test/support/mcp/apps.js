// A server with tools that have views (MCP Apps): plain JSON-RPC over standard input and output. A view speaks the extension itself.
import { createInterface } from 'node:readline'

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const answer = (id, result) => send({ id, result })
const object = { type: 'object', properties: {} }
const uri = 'ui://board/view.html'
let client = {}
let count = 0

const view = `<!doctype html><title>Board</title><style>:root { color-scheme: light dark } body { font: 15px system-ui; margin: 12px; color: var(--color-text-primary) }</style>
<p id=input></p><p id=result></p><p id=theme></p><p id=mode></p><p id=said></p><button id=add>Add</button> <button id=hidden>Forbidden</button> <button id=link>Link</button> <button id=say>Say</button> <button id=grow>Grow</button> <button id=read>Read</button> <button id=fill>Fill</button> <button id=sample>Sample</button> <button id=many>Many</button> <button id=alone>Alone</button>
<script>
  let next = 0
  const waiting = new Map()
  const post = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
  const ask = (method, params) => new Promise((resolve, reject) => { waiting.set(++next, { resolve, reject }); post({ id: next, method, params }) })
  const by = (id) => document.getElementById(id)
  const apply = ({ theme, styles, displayMode, containerDimensions }) => {
    by('mode').textContent = 'Mode: ' + displayMode + (containerDimensions.height > 400 ? ', tall' : '')
    by('theme').textContent = 'Theme: ' + theme
    document.documentElement.style.colorScheme = theme
    for (const [name, value] of Object.entries(styles.variables)) document.documentElement.style.setProperty(name, value)
  }
  addEventListener('message', ({ data }) => {
    const { id, method, params, result, error } = data
    if (method === undefined && waiting.has(id)) return error ? waiting.get(id).reject(new Error(error.message)) : waiting.get(id).resolve(result)
    if (method === 'ui/notifications/tool-input') by('input').textContent = 'Input: ' + JSON.stringify(params.arguments)
    if (method === 'ui/notifications/tool-result') by('result').textContent = 'Result: ' + params.structuredContent.name
    if (method === 'ui/notifications/host-context-changed') apply(params)
  })
  const size = () => post({ method: 'ui/notifications/size-changed', params: { height: Math.ceil(document.documentElement.getBoundingClientRect().height) } })
  new ResizeObserver(size).observe(document.documentElement)
  ask('ui/initialize', { protocolVersion: '2026-01-26', appInfo: { name: 'board', version: '1' }, appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] } }).then(({ hostContext }) => {
    apply(hostContext)
    post({ method: 'ui/notifications/initialized' })
  })
  const does = (id, method, params) => { by(id).onclick = () => ask(method, params()).then((r) => { by('said').textContent = 'Done: ' + JSON.stringify(r) }, (e) => { by('said').textContent = 'Failed: ' + e.message }) }
  does('add', 'tools/call', () => ({ name: 'add', arguments: { by: 2, note: 'a\u202eb' } }))
  does('hidden', 'tools/call', () => ({ name: 'secret', arguments: {} }))
  does('link', 'ui/open-link', () => ({ url: 'https://example.org/page' }))
  does('say', 'ui/message', () => ({ role: 'user', content: [{ type: 'text', text: 'Hello from the board' }] }))
  by('many').onclick = () => {
    let refused = 0
    const no = ({ message }) => { by('said').textContent = message + ' ' + ++refused }
    for (let at = 0; at < 20; at++) ask('ui/open-link', { url: 'https://example.org/' + at }).catch(no)
    ask('ui/open-link', { url: 'https://bank.example@example.org/' }).catch(no)
    for (let at = 0; at < 3; at++) ask('ui/message', { content: [{ type: 'text', text: 'x'.repeat(9000) }] }).catch(no)
  }
  does('read', 'resources/read', () => ({ uri: 'board://note' }))
  does('fill', 'ui/request-display-mode', () => ({ mode: 'fullscreen' }))
  does('sample', 'sampling/createMessage', () => ({}))
  // Once the person has left the view.
  by('alone').onclick = () => addEventListener('blur', () => by('fill').click(), { once: true })
  by('grow').onclick = () => { by('said').style.height = '400px' }
</script>`

const tools = [
  { name: 'board', description: 'Shows a board.', inputSchema: { type: 'object', properties: { name: { type: 'string' } } }, _meta: { ui: { resourceUri: uri } } },
  { name: 'reaching', description: 'Shows a board that wants the network.', inputSchema: object, _meta: { ui: { resourceUri: 'ui://board/reaching.html' } } },
  { name: 'add', description: 'Adds to the board.', inputSchema: { type: 'object', properties: { by: { type: 'integer' } } }, _meta: { ui: { resourceUri: uri, visibility: ['app'] } } },
  { name: 'secret', description: 'Not for views.', inputSchema: object, _meta: { ui: { visibility: ['model'] } } },
  { name: 'client', description: 'Tells what the client can do.', inputSchema: object },
  { name: 'change', description: 'Describes another tool anew.', inputSchema: object }
]

const calls = {
  board: ({ name }) => ({ content: [{ type: 'text', text: `A board called ${name}` }], structuredContent: { name } }),
  reaching: () => ({ content: [{ type: 'text', text: 'A board' }], structuredContent: { name: 'far' } }),
  add ({ by }) {
    count += by
    return { content: [{ type: 'text', text: `It is ${count} now` }] }
  },
  secret: () => ({ content: [{ type: 'text', text: 'secret' }] }),
  client: () => ({ content: [{ type: 'text', text: JSON.stringify(client) }] }),
  change () {
    tools.find(({ name }) => name === 'add').description = 'Adds to something else.'
    send({ method: 'notifications/tools/list_changed' })
    return { content: [{ type: 'text', text: 'changed' }] }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize') {
    client = params.capabilities
    answer(id, { protocolVersion: params.protocolVersion, serverInfo: { name: 'apps', version: '1' }, capabilities: { tools: { listChanged: true }, resources: {} } })
  } else if (method === 'tools/list') answer(id, { tools })
  else if (method === 'resources/list') answer(id, { resources: [] })
  else if (method === 'resources/read') {
    if (params.uri === 'board://note') {
      answer(id, { contents: [{ uri: params.uri, mimeType: 'text/plain', text: 'A note' }] })
      continue
    }
    const domains = params.uri.includes('reaching') ? { csp: { connectDomains: ['https://api.example.org', 'http://127.0.0.1', "https://x.org; script-src 'self'"] } } : {}
    answer(id, { contents: [{ uri: params.uri, mimeType: 'text/html;profile=mcp-app', text: view, _meta: { ui: domains } }] })
  } else if (method === 'tools/call') answer(id, calls[params.name](params.arguments ?? {}))
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } })
}
