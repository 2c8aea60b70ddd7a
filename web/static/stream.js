/* global addEventListener, removeEventListener, setTimeout, clearTimeout */
import { get, withQuery } from './api.js'
import { seqOf, terminal } from './frames.js'
import { openSource } from './sources.js'

const retryMs = [300, 1_000, 2_000, 5_000]

/**
 * Follows a turn to its last frame, across lost connections, each frame once.
 *
 * A connection that breaks is opened anew with the cursor in its address rather than left to EventSource: the address
 * outranks the Last-Event-ID header, so its own attempt would ask for everything from the start again.
 * @param {object} options
 * @param {string} options.streamId
 * @param {number} options.afterSeq last sequence number already seen; 0 = from the start
 * @param {(event: string, payload: any) => void} options.onFrame
 * @param {() => void} options.onGone the service does not know the stream (any more)
 * @returns {{ close: () => void, position: () => number }}
 */
export function followTurn ({ streamId, afterSeq, onFrame, onGone }) {
  let seq = afterSeq
  let source = null
  let failures = 0
  let timer

  function connect () {
    source = openSource({ kind: 'turn', url: withQuery('/api/chat/stream', { stream_id: streamId, replay: 1 }), after: seq, onFrame: receive, onLost: reconnect })
  }

  function receive (event, data, lastEventId) {
    const frameSeq = seqOf(lastEventId)
    const isTerminal = terminal.has(event)
    if (frameSeq <= seq && !isTerminal) return
    seq = Math.max(seq, frameSeq)
    failures = 0
    if (isTerminal) close()
    onFrame(event, JSON.parse(data))
  }

  function reconnect () {
    source.close()
    clearTimeout(timer)
    timer = setTimeout(resume, retryMs[Math.min(failures++, retryMs.length - 1)])
  }

  async function resume () {
    const asked = source
    try {
      await get('/api/chat/stream/status', { stream_id: streamId })
      if (source === asked) connect()
    } catch (error) {
      if (source !== asked) return
      if (error.status !== 404) return reconnect()
      close()
      onGone()
    }
  }

  function close () {
    clearTimeout(timer)
    removeEventListener('online', reconnect)
    source.close()
    source = null
  }

  connect()
  addEventListener('online', reconnect)
  return {
    close () { if (source !== null) close() },
    position: () => seq
  }
}

/**
 * Hears of every change to the list of sessions; the first call comes with the connection itself.
 * @param {object} options
 * @param {(change: { reason: string, session_id?: string }) => void} options.onChange
 * @param {(isConnected: boolean) => void} options.onConnection
 * @returns {{ open: () => void, close: () => void }}
 */
export function watchSessions ({ onChange, onConnection }) {
  let source = null
  let timer
  function close () {
    clearTimeout(timer)
    source?.close()
    source = null
  }
  function open () {
    if (source !== null) return
    source = openSource({
      kind: 'sessions',
      url: '/api/sessions/events',
      onFrame (event, data) {
        onConnection(true)
        onChange(JSON.parse(data))
      },
      onLost (isOver) {
        onConnection(false)
        if (!isOver) return
        // Refused rather than lost: the browser will not try again. If the reason is the sign-in, the list's own request says so.
        close()
        onChange({ reason: 'refused' })
        timer = setTimeout(open, retryMs.at(-1))
      }
    })
  }
  return { open, close }
}
