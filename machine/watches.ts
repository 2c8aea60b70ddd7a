import { TooMany } from '../services/ground/errors.js'
import { encodedFrames, type Subscription } from '../services/ground/events/index.js'
import { type Log } from '../services/ground/log.js'
import { type NatsLink } from '../services/ground/nats/link.js'
import { type FolderNews, type FolderWatch, type Territory } from '../services/workspace/files/index.js'
import { type Answers } from './questions.js'

export interface WatchesOptions {
  link: Pick<NatsLink, 'nc' | 'subjects'>
  /** The name of this machine. */
  machine: string
  watch: Pick<FolderWatch, 'subscribe'>
  /** Returns the territory of a workspace. Throws for one that this machine does not open. */
  territory: (workspace: string) => Territory
  /** How long a folder is watched while the service does not ask about it: then the service is gone, or cannot be reached. */
  lapseMs?: number
  log: Log
}

export type WatchAnswers = Pick<Answers, 'watch_folder' | 'unwatch_folder'>

interface Watched {
  opening: Promise<Subscription>
  news: FolderNews | null
  askedAtMs: number
  isOver: boolean
}

/** More than the service ever watches at once. Watches of an earlier service process lapse by themselves. */
const mostWatches = 400
const enoughBytes = 64 * 1_024

/**
 * Watches folders of this machine for the service, as long as the service asks about them, and notifies it at once
 * when something has changed.
 */
export function createWatches ({ link: { nc, subjects }, machine, watch, territory, lapseMs = 30_000, log }: WatchesOptions) {
  const all = new Map<string, Watched>()

  async function open (id: string, workspace: string, path: string): Promise<Subscription> {
    const subscription = await watch.subscribe(territory(workspace), path)
    // The notice contains no news. The service asks for it, so that the order of notices and answers does not matter.
    subscription.onReadable(() => nc.publish(subjects.notice(machine, 'folder'), JSON.stringify({ id })))
    return subscription
  }

  function begin (id: string, workspace: string, path: string): Watched {
    if (all.size >= mostWatches) throw new TooMany('Too many folders are being watched')
    const watched: Watched = { opening: open(id, workspace, path), news: null, askedAtMs: 0, isOver: false }
    all.set(id, watched)
    watched.opening.then(
      (subscription) => { if (watched.isOver) subscription.close() }, () => { if (all.get(id) === watched) all.delete(id) }
    )
    return watched
  }

  function end (id: string): void {
    const watched = all.get(id)
    if (watched === undefined) return
    all.delete(id)
    watched.isOver = true
    watched.opening.then((subscription) => subscription.close(), () => {})
  }

  const sweep = setInterval(() => {
    const nowMs = performance.now()
    const lapsed = [...all].filter(([, { askedAtMs }]) => nowMs - askedAtMs > lapseMs)
    for (const [id] of lapsed) end(id)
    if (lapsed.length > 0) log('stopped watching folders that nobody asks about', { count: lapsed.length })
  }, Math.min(lapseMs, 5_000))
  sweep.unref()

  const answers: WatchAnswers = {
    async watch_folder ({ id, workspace, path }) {
      const watched = all.get(id) ?? begin(id, workspace, path)
      watched.askedAtMs = performance.now()
      const subscription = await watched.opening
      watched.news = lastOf(subscription) ?? watched.news
      return { path: watched.news?.path ?? path, signature: watched.news?.signature ?? null }
    },
    async unwatch_folder ({ id }) {
      end(id)
      return null
    }
  }

  return {
    answers,
    /** Returns the number of watched folders. */
    size: (): number => all.size,
    close (): void {
      clearInterval(sweep)
      for (const id of [...all.keys()]) end(id)
    }
  }
}

/** Returns the latest news of a subscription; null if there is none since the last call. */
function lastOf (subscription: Subscription): FolderNews | null {
  let news: FolderNews | null = null
  for (let chunks = subscription.read(enoughBytes); chunks.length > 0; chunks = subscription.read(enoughBytes)) {
    for (const chunk of chunks) for (const { data } of encodedFrames(chunk)) news = JSON.parse(data.toString())
  }
  return news
}
