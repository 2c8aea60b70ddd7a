import { DomainError, NotFound, TooMany } from '../../ground/errors.js'
import { closing, type EventBroker, type NewFrame, type Subscription } from '../../ground/events/index.js'
import { fieldsOf } from '../../ground/fields.js'
import { remoteName, type RemoteFolder } from '../../ground/remote-folder.js'
import { unreachable, type Asking } from './asking.js'
import { type QuestionAnswer } from './questions.js'

/** What readers of a folder receive, in the same form as the frames of a folder of this machine. */
interface FolderState { workspace: string, path: string, signature: string | null }

export interface FarWatchOptions {
  asking: Pick<Asking, 'ask'> & { names: () => string[] }
  events: EventBroker
  /** Makes the frames that readers receive. */
  frame: {
    (event: 'initial' | 'workspace_changed', state: FolderState): NewFrame
    (event: 'workspace_unreachable', state: { workspace: string, path: string, error: string }): NewFrame
  }
  timing?: Partial<FarWatchTiming>
}

export interface FarWatchTiming {
  /** How often a machine is asked about a folder, whether or not it reports a change. */
  renewMs: number
  /** The first interval after a failed question; it doubles with each further failure, up to `renewMs`. */
  retryMs: number
}

type Answered = QuestionAnswer<'watch_folder'>

interface Watched extends RemoteFolder {
  key: string
  /** Identifies the watch to its machine. */
  id: string
  /** The path as it was asked for. */
  wanted: string
  readers: number
  /** The last answer; null before the first one. */
  news: Answered | null
  /** Why there is no current answer; null if there is one. */
  failure: DomainError | null
  failures: number
  looking: Promise<void> | null
  isDue: boolean
  timer: NodeJS.Timeout | null
}

/** How many folders may be watched at once. */
const mostWatched = 200
const usualTiming: FarWatchTiming = { renewMs: 10_000, retryMs: 1_000 }

/**
 * Tells readers of a folder of another machine that it has changed, as `createFolderWatch` does for folders of this one. The machine
 * watches, but its notice says only that there is news to ask for. The service asks after each notice, when the machine or the connection
 * is back, and periodically, so a lost notice does no harm. Readers receive `workspace_unreachable` while the folder's state is unknown,
 * and `initial` again afterwards.
 */
export function createFarWatch ({ asking, events, frame, timing: wanted = {} }: FarWatchOptions) {
  const timing = { ...usualTiming, ...wanted }
  const all = new Map<string, Watched>()
  const byId = new Map<string, Watched>()

  function watching (folder: RemoteFolder, path: string): Watched {
    const key = `${remoteName(folder)}\n${path}`
    const known = all.get(key)
    if (known !== undefined) return known
    if (all.size >= mostWatched) throw new TooMany('Too many folders are being watched')
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
    // If the notice is lost, the machine stops watching by itself.
    if (asking.names().includes(watched.machine)) asking.ask(watched.machine, 'unwatch_folder', { id: watched.id }).catch(() => {})
  }

  /** Asks one question after the other, so that the last answer is the newest. Never rejects. */
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
     * Throws the machine's refusal, TooMany, and Unavailable if the machine cannot be reached; with `isPatient`, waits for the machine
     * instead. Closing the subscription ends the watch.
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

    /** Called when a machine has reported a change of a folder. */
    heard (machine: string, notice: unknown): void {
      const { id } = fieldsOf(notice)
      const watched = byId.get(String(id))
      if (watched?.machine === machine) void look(watched)
    },

    /** Called when a machine, or (without a name) the connection to all of them, has been replaced or has gone. */
    moved (machine?: string): void {
      for (const watched of all.values()) {
        if (machine !== undefined && watched.machine !== machine) continue
        watched.failures = 0
        void look(watched)
      }
    },

    /** Returns how many folders are watched. */
    size: (): number => all.size,

    close (): void {
      for (const { timer } of all.values()) if (timer !== null) clearTimeout(timer)
      all.clear()
      byId.clear()
    }
  }
}

/** Stores an answer. Returns whether it differs from the previous one. */
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

/** Returns the state of a folder, or why it is unknown. */
async function answerOf (
  asking: FarWatchOptions['asking'], { machine, id, path: workspace, wanted: path, news }: Watched
): Promise<Answered | DomainError> {
  if (!asking.names().includes(machine)) return unreachable(machine)
  try {
    return await asking.ask(machine, 'watch_folder', { id, workspace, path })
  } catch (error) {
    // A restarted machine watches the folder anew, and the folder has gone meanwhile.
    if (error instanceof NotFound && news !== null) return { ...news, signature: null }
    return error instanceof DomainError ? error : unreachable(machine)
  }
}

function frameOf (
  frame: FarWatchOptions['frame'], { failure, news, wanted, machine, path }: Watched, event: 'initial' | 'workspace_changed'
): NewFrame {
  const workspace = remoteName({ machine, path })
  if (failure !== null || news === null) {
    return frame('workspace_unreachable', { workspace, path: news?.path ?? wanted, error: failure?.message ?? unreachable(machine).message })
  }
  return frame(event, { workspace, path: news.path, signature: news.signature })
}
