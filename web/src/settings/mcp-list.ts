import { signal, type ReadonlySignal } from '@preact/signals-core'
import { type Api } from '../core/service/api.js'
import { createResource, type Resource } from '../core/service/resource.js'
import { type McpServer } from './mcp-form.js'

const againMs = 1_500
/** How long a sign-in may take to return. */
const signInMs = 600_000

/** The MCP servers of the profile. The feed does not report them, so they are read at intervals while an operation runs. */
export interface McpList {
  readonly servers: Resource<{ servers: McpServer[] }>
  /** The sign-ins in progress that began here, with the page of each. */
  readonly signIns: ReadonlySignal<ReadonlyMap<string, string>>
  /** Keeps the list up to date until the returned function is called. */
  watch: () => () => void
  /** Begins a sign-in. Returns its page. Throws ApiError. */
  signIn: (name: string) => Promise<string>
}

export function createMcpList ({
  api, nowMs = () => Date.now(), afterMs = againMs
}: { api: Api, nowMs?: () => number, afterMs?: number }): McpList {
  const servers = createResource(async () => await api.get('/api/mcp/servers'))
  const begun = signal<ReadonlyMap<string, { address: string, untilMs: number }>>(new Map())
  const signIns = signal<ReadonlyMap<string, string>>(new Map())
  let watchers = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function settle (): void {
    const list = servers.value.peek()?.servers ?? []
    const open = new Map([...begun.peek()].filter(([name, { untilMs }]) =>
      nowMs() < untilMs && list.some((server) => server.name === name && server.status === 'needs_sign_in')))
    if (open.size !== begun.peek().size) put(open)
  }

  function put (open: ReadonlyMap<string, { address: string, untilMs: number }>): void {
    begun.value = open
    signIns.value = new Map([...open].map(([name, { address }]) => [name, address]))
  }

  /** Reads the list again later, as long as an operation runs. */
  function later (): void {
    clearTimeout(timer)
    const isUnderWay = begun.peek().size > 0 || servers.value.peek()?.servers.some(({ status }) => status === 'starting') === true
    if (watchers === 0 || !isUnderWay) return
    timer = setTimeout(() => { void servers.refresh().then(settle).then(later) }, afterMs)
  }

  return {
    servers,
    signIns,
    watch () {
      watchers++
      const stop = servers.value.subscribe(() => queueMicrotask(() => { settle(); later() }))
      return () => {
        stop()
        watchers--
        if (watchers === 0) clearTimeout(timer)
      }
    },
    async signIn (name) {
      const { url } = await api.change('post', '/api/mcp/servers/{name}/sign-in', { name })
      put(new Map([...begun.peek(), [name, { address: url, untilMs: nowMs() + signInMs }]]))
      later()
      return url
    }
  }
}
