/* global EventSource, MessageEvent, SharedWorker, addEventListener, setInterval */
import { framesOf, seqOf } from './frames.js'

// Event streams of this window. Where the browser can, they come through a worker that all its windows share, since
// their connections are few; elsewhere each window has connections of its own.

const sayingMs = 20_000
/** By id, all that are open. */
const sources = new Map()
let lastId = 0
let worker = startWorker()

/**
 * Opens an event stream.
 * @param {object} options
 * @param {'turn' | 'sessions' | 'folder'} options.kind
 * @param {string} options.url for a turn without its cursor
 * @param {number} [options.after] last sequence number of a turn that was seen
 * @param {(event: string, data: string, lastEventId: string) => void} options.onFrame
 * @param {(isOver: boolean) => void} [options.onLost] the connection was lost; unless it is over, it comes back by itself
 * @returns {{ close: () => void, isOver: () => boolean }}
 */
export function openSource ({ kind, url, after = 0, onFrame, onLost = () => {} }) {
  const id = ++lastId
  const source = { id, kind, url, after, onFrame, onLost, direct: null, isOver: false }
  sources.set(id, source)
  start(source)
  return {
    close () {
      if (!sources.delete(id)) return
      worker?.port.postMessage({ close: id })
      source.direct?.close()
    },
    isOver: () => source.isOver
  }
}

function start (source) {
  const { id, kind, url, after } = source
  if (worker !== null) worker.port.postMessage({ open: { id, kind, url, after } })
  else startDirect(source)
}

function startDirect (source) {
  const { kind, url, after } = source
  const direct = new EventSource(kind === 'turn' ? `${url}&after_seq=${after}` : url)
  source.direct = direct
  for (const name of new Set([...framesOf[kind], 'error'])) {
    direct.addEventListener(name, (event) => {
      // A lost connection is told by the same event name as the service's own `error` frame.
      if (event instanceof MessageEvent) hear(source, { event: name, data: event.data, lastEventId: event.lastEventId })
      else lose(source, direct.readyState === EventSource.CLOSED)
    })
  }
}

function hear (source, { event, data, lastEventId }) {
  source.after = Math.max(source.after, seqOf(lastEventId))
  source.onFrame(event, data, lastEventId)
}

function lose (source, isOver) {
  source.isOver = isOver || source.kind === 'turn'
  if (source.isOver) {
    sources.delete(source.id)
    source.direct?.close()
  }
  source.onLost(source.isOver)
}

function startWorker () {
  if (typeof SharedWorker !== 'function') return null
  try {
    const started = new SharedWorker('/static/stream-worker.js', { type: 'module', name: 'streams-1' })
    started.addEventListener('error', goAlone)
    started.port.addEventListener('message', ({ data }) => receive(data))
    started.port.start()
    return started
  } catch {
    return null
  }
}

function receive (message) {
  if (message.forgotten === true) return restart()
  const source = sources.get(message.id)
  if (source === undefined) return
  if (message.lost === true) lose(source, message.isOver)
  else hear(source, message)
}

function restart () {
  for (const source of sources.values()) start(source)
}

/** There is no such worker here. */
function goAlone () {
  if (worker === null) return
  worker = null
  restart()
}

setInterval(() => worker?.port.postMessage({}), sayingMs)
addEventListener('pagehide', () => worker?.port.postMessage({ bye: true }))
// Brought back as it was left.
addEventListener('pageshow', ({ persisted }) => { if (persisted && worker !== null) restart() })
