/** The origins that a view may reach, in the form that the app's service takes (routes/pages-frame.ts). */
export interface FrameDomains { connect: readonly string[], resource: readonly string[], frame: readonly string[], base: readonly string[] }

export interface FrameOptions {
  html: string
  title: string
  domains?: FrameDomains
  /** Whether the frame measures the height of the document, for pages that do not know the app. */
  measured?: boolean
  /** Called with every message of the document, which is untrusted. */
  onMessage: (data: unknown) => void
  onHeight?: (px: number) => void
  /** Called with true when the document has not responded for a while, and with false when it responds again. */
  onStuck?: (isStuck: boolean) => void
  /** Called when the document requested an address that it may not reach. */
  onBlocked?: (uri: string) => void
}

export interface Frame {
  readonly element: HTMLIFrameElement
  post: (data: unknown) => void
  remove: () => void
}

const aliveEveryMs = 1_000
/** Counted in ticks of this page, not in time: something that blocks this page blocks its clock too. */
const mostSilentTicks = 5
const tallestPx = 20_000

/**
 * Shows a document by other authors in an origin of its own. It cannot reach the app, and of the network only `domains`. At worst it can
 * use up the time of its own process, or of this page in a browser that gives it no process of its own; see `onStuck`.
 */
export function createFrame (parent: HTMLElement, options: FrameOptions): Frame {
  const { html, title, domains, measured = false, onMessage, onHeight, onStuck, onBlocked } = options
  const element = document.createElement('iframe')
  element.className = 'frame'
  element.title = title
  element.setAttribute('sandbox', 'allow-scripts allow-forms')
  element.setAttribute('referrerpolicy', 'no-referrer')
  element.src = `/static/frame${queryOf(domains)}`
  const post = (data: unknown): void => element.contentWindow?.postMessage(data, '*')
  let silent = 0
  let isFilled = false
  let isStuck = false
  const stuck = (is: boolean): void => {
    if (is !== isStuck) onStuck?.(is)
    isStuck = is
  }
  const hear = ({ source, data }: MessageEvent<unknown>): void => {
    if (source !== element.contentWindow || source === null) return
    const { method, params } = asMessage(data)
    if (method === 'ui/notifications/sandbox-proxy-ready') {
      if (isFilled) return
      isFilled = true
      return post({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-resource-ready', params: { html, measured, framed: (domains?.frame.length ?? 0) > 0 } })
    }
    if (method === 'ui/notifications/sandbox-alive') {
      silent = 0
      return stuck(false)
    }
    if (method === 'ui/notifications/sandbox-blocked') return onBlocked?.(String(params.uri ?? '').slice(0, 300))
    if (method === 'ui/notifications/size-changed') {
      const { height } = params
      if (typeof height === 'number' && height >= 0) onHeight?.(Math.min(tallestPx, Math.ceil(height)))
      return
    }
    onMessage(data)
  }
  const watch = onStuck === undefined
    ? undefined
    : setInterval(() => {
      if (document.hidden || !isFilled) silent = 0
      else if (++silent >= mostSilentTicks) stuck(true)
    }, aliveEveryMs)
  addEventListener('message', hear)
  parent.append(element)
  return {
    element,
    post,
    remove () {
      clearInterval(watch)
      removeEventListener('message', hear)
      element.remove()
    }
  }
}

function queryOf (domains: FrameDomains | undefined): string {
  const wanted = Object.entries(domains ?? {}).filter(([, origins]) => origins.length > 0).map(([name, origins]) => [name, origins.join(' ')])
  return wanted.length === 0 ? '' : `?${new URLSearchParams(wanted).toString()}`
}

/** Returns the method and parameters of a possible message of the protocol. */
export function asMessage (data: unknown): { id: unknown, method: string, params: Record<string, unknown> } {
  const { id, method, params } = recordOf(data)
  return { id, method: typeof method === 'string' ? method : '', params: recordOf(params) }
}

export const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
