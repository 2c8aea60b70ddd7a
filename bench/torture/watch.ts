import { setTimeout as delay } from 'node:timers/promises'
import { residentMib } from '../processes.js'

export interface Watched { slowestMs: number, mostMib: number }

/** Polls `url` and measures the size of the processes until it is ended. */
export function watchService (url: string, pids: number[]): { end (): Promise<Watched> } {
  const life = { over: false }
  const watched: Watched = { slowestMs: 0, mostMib: 0 }
  const watching = (async () => {
    while (!life.over) {
      const beganMs = performance.now()
      await fetch(url).then(async (response) => await response.text(), () => {})
      watched.slowestMs = Math.max(watched.slowestMs, performance.now() - beganMs)
      for (const pid of pids) {
        try {
          watched.mostMib = Math.max(watched.mostMib, residentMib(pid))
        } catch {}
      }
      await delay(50)
    }
  })()
  return {
    async end () {
      life.over = true
      await watching
      return watched
    }
  }
}
