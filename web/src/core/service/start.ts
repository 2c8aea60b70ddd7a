import { type Wire } from './api.js'
import { type Membership, type ToWindow, type Wants } from './hub.js'

type StartDocument = Wire<'Start'>

/** The document that a window begins with. It holds the answers to a window's first requests. */
export interface Start {
  /** Null if it could not be read; then everything is requested separately. Never rejects. */
  readonly document: Promise<StartDocument | null>
  /**
   * Returns the answer to a request; undefined if the document is outdated, or the path is not of the API. Resolves with null if the
   * document has no answer to it.
   */
  answer: (path: string) => Promise<object | null> | undefined
  /** Called when something was changed, so that the document may be outdated. */
  outdate: () => void
  /** Called with each frame. All but the first snapshot, which belongs to the document, mean that something has changed. */
  hear: (event: string) => void
}

/**
 * The document answers only requests of a window's first seconds; later ones, such as those of a newly opened screen, need the current
 * state.
 */
const holdsMs = 5_000

/** Returns the address of the document. The page requests the same address before this code runs (routes/pages.ts). */
export function startPath (pathname: string): string {
  const id = /^\/session\/([^/]+)$/.exec(pathname)?.[1]
  return `/api/start${id === undefined ? '' : `?session_id=${sameWay(id)}`}`
}

/** Encodes a part of an address as the page does; a part that cannot be decoded stays as it is. */
function sameWay (part: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(part))
  } catch {
    return part
  }
}

/** Requests the document at once. */
export function createStart ({ url, nowMs = () => performance.now() }: { url: string, nowMs?: () => number }): Start {
  let untilMs = Infinity
  const document = fetch(url).then(async (response) => response.ok ? await response.json() as StartDocument : null).catch(() => null)
  void document.then((found) => { untilMs = Math.min(untilMs, found === null ? -Infinity : nowMs() + holdsMs) })
  /** A chat changes as it continues, so its answer is given only once. */
  let isSessionTold = false
  let hasSnapshot = false
  const outdate = (): void => { untilMs = -Infinity }

  function partFor (path: string, found: StartDocument): object | null {
    const { session, projects, models, reasoning, home, transcription, budgets, yolo } = found
    const [name, query = ''] = path.split('?')
    const asked = new URLSearchParams(query)
    if (name === '/api/session' && session !== null && asked.get('session_id') === session.session.session_id && !asked.has('msg_before')) {
      if (isSessionTold) return null
      isSessionTold = true
      return session
    }
    if (session !== null && query === `session_id=${session.session.session_id}`) {
      if (name === '/api/budgets') return budgets
      if (name === '/api/session/yolo') return yolo
    }
    if (name === '/api/reasoning' && (query === '' || isDefault(asked, models))) return reasoning
    if (query !== '') return null
    if (name === '/api/projects') return projects
    if (name === '/api/models') return models
    if (name === '/api/transcribe/capability') return transcription
    return name === '/api/home' ? home : null
  }

  return {
    document,
    answer: (path) => nowMs() > untilMs || !path.startsWith('/api/')
      ? undefined
      : document.then((found) => found === null || nowMs() > untilMs ? null : partFor(path, found)),
    outdate,
    hear (event) {
      if (event !== 'snapshot' || hasSnapshot) outdate()
      hasSnapshot = true
    }
  }
}

const isDefault = (asked: URLSearchParams, models: StartDocument['models']): boolean =>
  asked.get('model') === models?.default_model && asked.get('provider') === models?.active_provider

/**
 * Joins the hub once the document has arrived: its snapshot comes first, and the hub continues after it. Without a document, the hub's own
 * snapshot is the first.
 */
export function joinBehind (
  { document }: Pick<Start, 'document'>, join: (tell: (message: ToWindow) => void, cursor: string) => Membership
): (tell: (message: ToWindow) => void) => Membership {
  return (tell) => {
    let membership: Membership | null = null
    let wants: Wants | null = null
    let hasLeft = false
    void document.then((found) => {
      if (hasLeft) return
      const snapshot = found?.snapshot ?? null
      if (snapshot !== null) tell({ frames: [{ event: 'snapshot', data: snapshot }] })
      membership = join(tell, snapshot === null ? '' : found?.cursor ?? '')
      if (wants !== null) membership.want(wants)
    })
    return {
      want (wanted) {
        wants = wanted
        membership?.want(wanted)
      },
      retry: () => membership?.retry(),
      leave () {
        hasLeft = true
        membership?.leave()
      }
    }
  }
}
