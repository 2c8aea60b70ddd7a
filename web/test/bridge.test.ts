import t from '../../test/support/harness.js'
import { createBridge } from '../src/frame/bridge.js'

interface Answer { id?: number | string, method?: string, params?: Record<string, unknown>, result?: Record<string, unknown>, error?: { code: number } }

/** Starts a bridge with a person who agrees to everything, and whoever speaks to it like a view. */
function speaking () {
  const heard: Answer[] = []
  const done: string[] = []
  const bridge = createBridge({
    post: (message) => { heard.push(message) },
    call: { id: 'c1', tool: 'board', args: { name: 'first' }, result: { content: [] } },
    domains: { connect: ['https://api.example.org'], resource: [], frame: [], base: [] },
    context: () => ({ theme: 'dark' }),
    callTool: async (tool) => { done.push(tool); return { content: [] } },
    readResource: async (uri) => { done.push(uri); return { contents: [] } },
    openLink: async (url) => { done.push(url); return true },
    message: (text) => { done.push(text); return true },
    canFill: () => { done.push('can fill') },
    show: (mode) => mode,
    leave: () => { done.push('left') }
  })
  let next = 0
  const ask = async (method: string, params: object = {}): Promise<Answer | undefined> => {
    const id = ++next
    bridge.hear({ jsonrpc: '2.0', id, method, params })
    await new Promise((resolve) => setImmediate(resolve))
    return heard.find((answer) => answer.id === id)
  }
  return { bridge, ask, heard, done, tell: (method: string) => bridge.hear({ jsonrpc: '2.0', method }) }
}

t.test('a view learns what it may, and gets arguments and result once it is there', async (t) => {
  const { ask, tell, heard, done } = speaking()
  const begun = await ask('ui/initialize', { appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] } })
  t.match(begun?.result, {
    protocolVersion: '2026-01-26', hostContext: { theme: 'dark', toolInfo: { id: 'c1', tool: { name: 'board' } } },
    hostCapabilities: { openLinks: {}, serverTools: {}, serverResources: {}, message: { text: {} }, sandbox: { permissions: {}, csp: { connectDomains: ['https://api.example.org'] } } }
  })
  t.same(Object.keys(begun?.result?.['hostCapabilities'] ?? {}).toSorted(), ['message', 'openLinks', 'sandbox', 'serverResources', 'serverTools'], 'and nothing that is refused')
  t.same(heard.length, 1, 'nothing is told before it is ready')
  tell('ui/notifications/initialized')
  tell('ui/notifications/initialized')
  t.same(heard.slice(1).map(({ method }) => method), ['ui/notifications/tool-input', 'ui/notifications/tool-result'])
  t.match(heard[1]?.params, { arguments: { name: 'first' } })
  t.same(done, ['can fill'])
})

t.test('what the extension names is done or refused in its form', async (t) => {
  const { ask, tell, heard, done } = speaking()
  for (const [method, params, effect] of [
    ['tools/call', { name: 'add', arguments: {} }, 'add'], ['resources/read', { uri: 'board://note' }, 'board://note'],
    ['ui/open-link', { url: 'https://example.org/page' }, 'https://example.org/page'], ['ui/message', { role: 'user', content: [{ type: 'text', text: 'Hello' }] }, 'Hello']
  ] as const) {
    t.ok((await ask(method, params))?.result, method)
    t.equal(done.at(-1), effect)
  }
  t.same((await ask('ping'))?.result, {})
  t.same((await ask('ui/request-display-mode', { mode: 'pip' }))?.result, { mode: 'inline' })
  for (const method of ['ui/update-model-context', 'ui/download-file', 'sampling/createMessage', 'tools/list', 'prompts/list', 'made/up']) {
    t.equal((await ask(method))?.error?.code, -32_601, `${method} is answered`)
  }
  for (const [method, params] of [
    ['tools/call', {}], ['resources/read', { uri: '' }], ['ui/open-link', { url: 'javascript:alert(1)' }], ['ui/open-link', { url: 'https://bank.example@example.org/' }],
    ['ui/message', { content: [{ type: 'image', data: '' }] }], ['ui/request-display-mode', { mode: 'hidden' }]
  ] as const) t.equal((await ask(method, params))?.error?.code, -32_602, `${method} ${JSON.stringify(params)}`)
  const before = heard.length
  tell('notifications/message')
  tell('made/up')
  t.equal(heard.length, before, 'notifications have no answer')
  tell('ui/notifications/request-teardown')
  t.equal(done.at(-1), 'left')
})
