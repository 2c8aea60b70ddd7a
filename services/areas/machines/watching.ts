import { DomainError, NotFound, TooMany } from '../../ground/errors.js'
import { closing, type EventBroker, type NewFrame, type Subscription } from '../../ground/events/index.js'
import { fieldsOf } from '../../ground/fields.js'
import { remoteName, type RemoteFolder } from '../../ground/location.js'
import { unreachable, type Asking } from './asking.js'
import { type QuestionAnswer } from './questions.js'

/** What readers of a folder are told, as the frames of one of this machine have it. */
interface FolderState { workspace: string, path: string, signature: string | null }

export interface FarWatchOptions {
  asking: Pick<Asking, 'ask'> & { names: () => string[] }
  events: EventBroker
  /** Makes what readers are told. */
  frame: {
    (event: 'initial' | 'workspace_changed', state: FolderState): NewFrame
    (event: 'workspace_unreachable', state: { workspace: string, path: string, error: string }): NewFrame
  }
  timing?: Partial<FarWatchTiming>
  /** How many folders may be watched at once. */
  limit?: number
}

export interface FarWatchTiming {
  /** How often a machine is asked how a folder is, whether or not it tells that it has changed. */
  renewMs: number
  /** The same where it has not answered: longer each time. */
  retryMs: number
}

type Answered = QuestionAnswer<'watch_folder'>

interface Watched extends RemoteFolder {
  key: string
  /** Names the watching to its machine. */
  id: string
  /** As it was asked for. */
  wanted: string
  readers: number
  /** The last answer; null before the first one. */
  news: Answered | null
  /** Why there is none now. */
  failure: DomainError | null
  failures: number
  looking: Promise<void> | null
  isDue: boolean
  timer: NodeJS.Timeout | null
}

const usualTiming: FarWatchTiming = { renewMs: 10_000, retryMs: 1_000 }

/**
 * Tells whoever looks at a folder of another machine that it has changed, as `createFolderWatch` does for those of this one. The machine
 * watches; what it tells is only that there is something to ask about. It is asked each time that this is told, when it or the
 * connection is there again, and now and then besides: so nothing hangs on a notice that was lost. Readers are told
 * `workspace_unreachable` while nobody knows how the folder is, and `initial` again afterwards.
 */
export function createFarWatch ({ asking, events, frame, timing: wanted = {}, limit = 200 }: FarWatchOptions) {
  const timing = { ...usualTiming, ...wanted }
  const all = new Map<string, Watched>()
  const byId = new Map<string, Watched>()

  function watching (folder: RemoteFolder, path: string): Watched {
    const key = `${remoteName(folder)}\n${path}`
    const known = all.get(key)
    if (known !== undefined) return known
    if (all.size >= limit) throw new TooMany('Too many folders are being watched')
    const watched: Watched = {
      ...folder, key, id: crypto.randomUUID(), wanted: path, readers: 0, news: null, failure: null, failures: 0, looking: null,
      isDue: false, timer: null
    }
    all.set(key, watched)
    byId.set(watched.id, watched)
    return watched
  }

  function leave (watched: Watched): void {
    if (--watched.readers > 0) return
    all.delete(watched.key)
    byId.delete(watched.id)
    if (watched.timer !== null) clearTimeout(watched.timer)
    // What does not hear of it stops by itself.
    if (asking.names().includes(watched.host)) asking.ask(watched.host, 'unwatch_folder', { id: watched.id }).catch(() => {})
  }

  /** One question after the other, so that the last answer is the newest. Never rejects. */
  async function look (watched: Watched): Promise<void> {
    watched.isDue = true
    watched.looking ??= (async () => {
      while (watched.isDue && byId.has(watched.id)) {
        watched.isDue = false
        tell(watched, await answerOf(asking, watched))
      }
      watched.looking = null
    })()
    await watched.looking
  }

  function tell (watched: Watched, answer: Answered | DomainError): void {
    if (!byId.has(watched.id)) return
    const { key, news, failure } = watched
    const isOther = take(watched, answer)
    if (watched.timer !== null) clearTimeout(watched.timer)
    watched.timer = setTimeout(() => { void look(watched) }, watched.failure === null
      ? timing.renewMs
      : Math.min(timing.renewMs, timing.retryMs * 2 ** (watched.failures - 1))).unref()
    if (isOther) {
      events.publish({ kind: 'folder', id: key }, () =>
        frameOf(frame, watched, failure === null && news !== null ? 'workspace_changed' : 'initial'))
    }
  }

  return {
    /**
     * Throws what the machine refuses it with, TooMany, and Unavailable when it cannot be reached, unless `isPatient`: then it is
     * waited for. The subscription's close ends the watching.
     */
    async subscribe (folder: RemoteFolder, path: string, { isPatient = false } = {}): Promise<Subscription> {
      const watched = watching(folder, path)
      watched.readers++
      await look(watched)
      const { failure, news } = watched
      const isWaitedFor = failure?.code === 'host_unreachable' && isPatient
      if (failure !== null && !isWaitedFor && !(isPatient && news !== null)) {
        leave(watched)
        throw failure
      }
      return closing(events.watch({ kind: 'folder', id: watched.key }, () => frameOf(frame, watched, 'initial')), () => leave(watched))
    },

    /** A machine has told that a folder has changed. */
    heard (host: string, notice: unknown): void {
      const { id } = fieldsOf(notice)
      const watched = byId.get(String(id))
      if (watched?.host === host) void look(watched)
    },

    /** A machine, or (without a name) the way to all of them, is another one now, or has gone. */
    moved (host?: string): void {
      for (const watched of all.values()) {
        if (host !== undefined && watched.host !== host) continue
        watched.failures = 0
        void look(watched)
      }
    },

    /** How many folders are watched. */
    size: (): number => all.size,

    close (): void {
      for (const { timer } of all.values()) if (timer !== null) clearTimeout(timer)
      all.clear()
      byId.clear()
    }
  }
}

/** Keeps an answer. Whether it is another one than before. */
function take (watched: Watched, answer: Answered | DomainError): boolean {
  const { news, failure } = watched
  if (answer instanceof DomainError) {
    watched.failure = answer
    watched.failures++
    return failure?.message !== answer.message
  }
  watched.news = answer
  watched.failure = null
  watched.failures = 0
  return failure !== null || news?.signature !== answer.signature
}

/** How a folder is, or why that is not known. */
async function answerOf (
  asking: FarWatchOptions['asking'], { host, id, path: workspace, wanted: path, news }: Watched
): Promise<Answered | DomainError> {
  if (!asking.names().includes(host)) return unreachable(host)
  try {
    return await asking.ask(host, 'watch_folder', { id, workspace, path })
  } catch (error) {
    // It is watched anew by a machine that was started anew, and has gone meanwhile.
    if (error instanceof NotFound && news !== null) return { ...news, signature: null }
    return error instanceof DomainError ? error : unreachable(host)
  }
}

function frameOf (
  frame: FarWatchOptions['frame'], { failure, news, wanted, host, path }: Watched, event: 'initial' | 'workspace_changed'
): NewFrame {
  const workspace = remoteName({ host, path })
  if (failure !== null || news === null) {
    return frame('workspace_unreachable', { workspace, path: news?.path ?? wanted, error: failure?.message ?? unreachable(host).message })
  }
  return frame(event, { workspace, path: news.path, signature: news.signature })
}
