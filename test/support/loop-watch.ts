import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Runs in the watched service, before it. A timer measures every other millisecond how much CPU time the thread of the event loop has used
 * since the last time: whatever ran meanwhile blocked everything else. CPU time does not depend on the load of the machine. With
 * LOOP_PROFILE it also reports where the time went in the longest of these stretches.
 */
const watcher = `
import { readFileSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { isMainThread } from 'node:worker_threads'
if (isMainThread && process.env.LOOP_WATCH !== undefined) {
  const file = process.env.LOOP_WATCH
  delete process.env.LOOP_WATCH
  delete process.env.NODE_OPTIONS
  const used = () => Number(readFileSync('/proc/' + process.pid + '/task/' + process.pid + '/schedstat', 'latin1').split(' ')[0]) / 1e6
  const nowUs = () => Number(process.hrtime.bigint() / 1000n)
  let last = used()
  let lastUs = nowUs()
  let longest = { ms: 0, fromUs: 0, toUs: 0 }
  let asked = 0
  const look = () => {
    const now = used()
    const us = nowUs()
    if (now - last > longest.ms) longest = { ms: now - last, fromUs: lastUs, toUs: us }
    last = used()
    lastUs = us
  }
  setInterval(look, 2).unref()
  const session = process.env.LOOP_PROFILE === undefined ? null : new Session()
  const start = () => session.post('Profiler.start')
  if (session !== null) {
    session.connect()
    session.post('Profiler.enable')
    session.post('Profiler.setSamplingInterval', { interval: 500 })
    start()
  }
  /** Functions by the time that was spent in them and in what they called, and in them alone. */
  const where = ({ nodes, samples, startTime, timeDeltas }) => {
    const byId = new Map(nodes.map((node) => [node.id, node]))
    for (const node of nodes) for (const child of node.children ?? []) byId.get(child).parent = node
    const times = new Map()
    let at = startTime
    samples.forEach((id, index) => {
      at += timeDeltas[index]
      if (at < longest.fromUs || at > longest.toUs) return
      const seen = new Set()
      for (let node = byId.get(id); node?.parent !== undefined; node = node.parent) {
        const name = node.callFrame.functionName + ' ' + node.callFrame.url.split('/').slice(-1)[0].slice(0, 60) + ':' + (node.callFrame.lineNumber + 1)
        const time = times.get(name) ?? { all: 0, own: 0 }
        if (!seen.has(name)) time.all += timeDeltas[index]
        if (node.id === id) time.own += timeDeltas[index]
        seen.add(name)
        times.set(name, time)
      }
    })
    return [...times].sort(([, one], [, other]) => other.all - one.all).slice(0, 45)
      .map(([name, { all, own }]) => (all / 1e3).toFixed(1).padStart(8) + (own / 1e3).toFixed(1).padStart(8) + '  ' + name).join('\\n')
  }
  const tell = (told) => {
    if (session !== null) start()
    writeFileSync(file, JSON.stringify({ asked, ms: longest.ms, ...told }))
    longest = { ms: 0, fromUs: 0, toUs: 0 }
    last = used()
    lastUs = nowUs()
  }
  process.on('SIGWINCH', () => {
    look()
    asked++
    if (session === null) tell({})
    else session.post('Profiler.stop', (_error, { profile }) => tell({ where: where(profile) }))
  })
}
`

/** Returns variables with which a watched service is started; it reports through this file. */
export function watchedBy (file: string, isProfiled = false): Record<string, string> {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(watcher)}`, LOOP_WATCH: file, ...(isProfiled ? { LOOP_PROFILE: '1' } : {}) }
}

export interface LongestStretch {
  /** How long the event loop was blocked, in milliseconds of CPU time. */
  ms: number
  /** Functions, with the milliseconds in them including what they called, and in them alone. */
  where?: string
}

/** Returns a function that reports the longest time for which the event loop of a watched process was blocked since the last call. */
export function createLoopWatch (pid: number, file: string): () => Promise<LongestStretch> {
  let asked = 0
  return async () => {
    asked++
    process.kill(pid, 'SIGWINCH')
    for (;;) {
      await delay(5)
      const told = existsSync(file) ? parsed(readFileSync(file, 'utf8')) : null
      if (told?.asked === asked) return told
    }
  }
}

/** Returns null while it is being written. */
function parsed (text: string): LongestStretch & { asked: number } | null {
  try {
    return JSON.parse(text) as LongestStretch & { asked: number }
  } catch {
    return null
  }
}
