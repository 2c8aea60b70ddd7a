import { asMessage, recordOf, type FrameDomains } from './frame.js'

export interface BridgeOptions {
  post: (message: object) => void
  /** The call that the view shows. */
  call: { id: string, tool: string, args: Readonly<Record<string, unknown>>, result: unknown }
  /** The hosts that its frame lets it reach. */
  domains: FrameDomains
  /** Returns the theme, the language and other context for the view. */
  context: () => Record<string, unknown>
  /** Calls a tool. Resolves with the server's answer; rejects with an Error whose message is for the view. */
  callTool: (tool: string, args: Record<string, unknown>) => Promise<unknown>
  /** Asks the person whether to open an address. Resolves with false if they refuse. */
  openLink: (url: string) => Promise<boolean>
  message: (text: string) => boolean
  /** Resolves with the server's answer to `resources/read`; rejects as `callTool` does. */
  readResource: (uri: string) => Promise<unknown>
  /** Called when the view says that it can fill the window. */
  canFill: () => void
  /** Changes the display mode if that is possible, and returns the mode. */
  show: (mode: DisplayMode) => DisplayMode
  /** Called when the view asks to be closed. */
  leave: () => void
}

type DisplayMode = 'inline' | 'fullscreen'

const protocolVersion = '2026-01-26'
const notFound = -32_601
const badParams = -32_602
const refused = -32_000
/** How long a message from a view may be, in characters. */
export const mostTextChars = 20_000

/** Speaks with a view by the MCP Apps extension: JSON-RPC over messages between windows. What the view says is untrusted. */
export function createBridge (
  { post, call, domains, context, callTool, openLink, message, readResource, canFill, show, leave }: BridgeOptions
) {
  let isInitialized = false
  const answer = (id: unknown, result: object): void => post({ jsonrpc: '2.0', id, result })
  const fail = (id: unknown, code: number, text: string): void => post({ jsonrpc: '2.0', id, error: { code, message: text } })
  const notify = (method: string, params: object): void => post({ jsonrpc: '2.0', method: `ui/notifications/${method}`, params })

  async function request (id: unknown, method: string, params: Record<string, unknown>): Promise<void> {
    switch (method) {
      case 'ui/initialize': {
        const { availableDisplayModes: modes } = recordOf(params.appCapabilities)
        if (Array.isArray(modes) && modes.includes('fullscreen')) canFill()
        return answer(id, {
          protocolVersion,
          hostInfo: { name: 'agent-web-service', version: '1' },
          // Requests of what is not listed here are refused, as the protocol wants it.
          hostCapabilities: {
            openLinks: {}, serverTools: {}, serverResources: {}, message: { text: {} },
            sandbox: {
              permissions: {},
              csp: {
                connectDomains: domains.connect, resourceDomains: domains.resource, frameDomains: domains.frame,
                baseUriDomains: domains.base
              }
            }
          },
          hostContext: { ...context(), toolInfo: { id: call.id, tool: { name: call.tool, inputSchema: { type: 'object' } } } }
        })
      }
      case 'ping': return answer(id, {})
      case 'tools/call': {
        const { name, arguments: args } = params
        if (typeof name !== 'string') return fail(id, badParams, 'name: a text')
        return answer(id, recordOf(await callTool(name, recordOf(args))))
      }
      case 'resources/read': {
        const { uri } = params
        if (typeof uri !== 'string' || uri === '') return fail(id, badParams, 'uri: a text')
        return answer(id, recordOf(await readResource(uri)))
      }
      case 'ui/open-link': {
        const { url } = params
        // A user name before the host only serves to imitate another host.
        if (typeof url !== 'string' || !/^https:\/\//i.test(url) || !URL.canParse(url) || new URL(url).username !== '') return fail(id, badParams, 'url: an address that begins with https://')
        return await openLink(new URL(url).href) ? answer(id, {}) : fail(id, refused, 'The user would rather not open this.')
      }
      case 'ui/message': {
        const text = textOf(params.content)
        if (text === '' || text.length > mostTextChars) return fail(id, badParams, 'content: a text')
        return message(text) ? answer(id, {}) : fail(id, refused, 'There is no conversation to write to.')
      }
      case 'ui/request-display-mode': {
        const { mode } = params
        if (mode !== 'inline' && mode !== 'fullscreen' && mode !== 'pip') return fail(id, badParams, 'mode: inline, fullscreen or pip')
        // What is not to be had is answered with what is.
        return answer(id, { mode: show(mode === 'pip' ? 'inline' : mode) })
      }
      default: return fail(id, notFound, 'Method not found')
    }
  }

  return {
    hear (data: unknown): void {
      const { id, method, params } = asMessage(data)
      if (method === 'ui/notifications/initialized' && !isInitialized) {
        isInitialized = true
        notify('tool-input', { arguments: call.args })
        notify('tool-result', recordOf(call.result))
      }
      if (method === 'ui/notifications/request-teardown') return leave()
      if (method === '' || (typeof id !== 'string' && typeof id !== 'number')) return
      request(id, method, params).catch((error: unknown) => fail(id, refused, error instanceof Error ? error.message : 'It failed.'))
    },
    contextChanged (): void { if (isInitialized) notify('host-context-changed', context()) },
    /** Tells the view that it will be removed, without waiting for an answer. */
    close (): void { if (isInitialized) post({ jsonrpc: '2.0', id: 'teardown', method: 'ui/resource-teardown', params: { reason: 'closed' } }) }
  }
}

function textOf (content: unknown): string {
  const blocks = Array.isArray(content) ? content : [content]
  return blocks.map((block) => recordOf(block)).flatMap(({ type, text }) => type === 'text' && typeof text === 'string' ? [text] : []).join('\n').trim()
}
