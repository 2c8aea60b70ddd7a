import { effect, signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError, type Api, type Wire } from '../core/service/api.js'
import { type Link } from '../core/service/link.js'
import { createResource, type Resource } from '../core/service/resource.js'

const lateMs = 120_000
/** How often the service is asked again: an update that fails after its answer was lost ends without a restart that would be noticed. */
const againMs = 5_000

/** The phase of an update. `lost`: the connection was lost before an answer. `late`: the service has been unreachable for too long. */
type UpdatePhase =
  | { step: 'none' | 'applying' | 'lost' | 'restarting' | 'late' }
  | { step: 'refused', why: string }
  /** The restart would end this many turns; it happens if the person confirms. */
  | { step: 'blocked', why: string, turns: number }
  /** It begins when this many turns have ended; 0: at once. */
  | { step: 'waiting', turns: number }
  | { step: 'done', why: string }

/** An update, followed by this window even while its section is not shown. */
export interface Updating {
  readonly news: Resource<Wire<'UpdateCheck'>>
  readonly phase: ReadonlySignal<UpdatePhase>
  /** Updates to the newest version; `now`: even if that ends running turns. Never throws: a failure is a phase. */
  apply: (now?: boolean) => Promise<void>
  /** Updates as soon as the turns that the restart would end have ended. Never throws: a failure is a phase. */
  wait: () => Promise<void>
  /** Cancels an update that waits. Throws ApiError. */
  cancel: () => Promise<void>
  /** Checks the remote. Throws ApiError. */
  look: () => Promise<void>
}

export function createUpdating ({
  api, link, slowMs = lateMs, afterMs = againMs
}: { api: Api, link: Pick<Link, 'state' | 'onFrame'>, slowMs?: number, afterMs?: number }): Updating {
  const news = createResource(async () => await api.get('/api/updates/check'))
  const phase = signal<UpdatePhase>({ step: 'none' })
  let stop: (() => void) | null = null
  /** When the previous update ended. A report of a later end is about this one. */
  let before = 0

  function settle (next: UpdatePhase): void {
    stop?.()
    stop = null
    phase.value = next
  }

  /** Reads the outcome once the service can be reached again, unless the update still runs. */
  async function hear (): Promise<void> {
    await news.refresh()
    const last = news.value.peek()?.last_update ?? null
    if (news.error.peek() !== null || stop === null) return
    const waiting = news.value.peek()?.waiting
    if (waiting !== undefined) {
      phase.value = { step: 'waiting', turns: waiting.turns }
      return
    }
    const { value: told } = phase
    if (last !== null && last.finished_at > before) {
      settle(last.ok ? { step: 'done', why: last.message } : { step: 'refused', why: last.message })
    } else if (told.step === 'waiting') {
      // It has begun, or another device has cancelled it.
      if (told.turns === 0) phase.value = { step: 'restarting' }
      else settle({ step: 'none' })
    }
  }

  function follow (next: UpdatePhase): void {
    stop?.()
    phase.value = next
    const unlisten = link.onFrame(({ event }) => { if (event === 'snapshot') void hear() })
    const timer = setTimeout(() => { if (phase.peek().step !== 'waiting') phase.value = { step: 'late' } }, slowMs)
    const asking = setInterval(() => { if (link.state.peek() === 'open') void hear() }, afterMs)
    stop = () => {
      unlisten()
      clearTimeout(timer)
      clearInterval(asking)
    }
  }

  // Another device, or this one before a reload, has let an update wait.
  effect(() => {
    const waiting = news.value.value?.waiting
    if (waiting === undefined || phase.peek().step !== 'none') return
    before = news.value.peek()?.last_update?.finished_at ?? 0
    follow({ step: 'waiting', turns: waiting.turns })
  })

  async function send (wish: { now?: true, wait?: true }): Promise<void> {
    const { step } = phase.peek()
    if (step === 'applying' || step === 'restarting' || step === 'lost') return
    before = news.value.peek()?.last_update?.finished_at ?? 0
    settle({ step: 'applying' })
    try {
      const {
        ok, message, restart_scheduled: isRestarting, up_to_date: isNewest, restart_blocked: isBlocked, active_runs: runs = 0,
        active_streams: streams = 0, waiting: isWaiting
      } = await api.post('/api/updates/apply', { target: 'webui', ...wish })
      if (isRestarting === true) return follow({ step: 'restarting' })
      if (isWaiting === true) return follow({ step: 'waiting', turns: Math.max(runs, streams) })
      if (isBlocked === true) return settle({ step: 'blocked', why: message, turns: Math.max(runs, streams, 1) })
      settle(ok && isNewest === true ? { step: 'none' } : { step: 'refused', why: message })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // The answer takes as long as a build, so the connection may break before it; the update continues.
      if (error.status === 0 || error.status >= 502) follow({ step: 'lost' })
      else settle({ step: 'refused', why: error.message })
    }
    await news.refresh()
  }

  return {
    news,
    phase,
    apply: async (now = false) => await send(now ? { now } : {}),
    wait: async () => await send({ wait: true }),
    async cancel () {
      await api.post('/api/updates/apply', { target: 'webui', cancel: true })
      settle({ step: 'none' })
      await news.refresh()
    },
    async look () {
      news.set(await api.post('/api/updates/check', { force: true }))
    }
  }
}
