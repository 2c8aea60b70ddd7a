/* global EventSource, MessageEvent, addEventListener, removeEventListener, setTimeout, clearTimeout */
import { get, withQuery } from './api.js'

const frames = [
  'token', 'reasoning', 'interim_assistant', 'tool', 'tool_complete', 'title', 'todo_state', 'warning',
  'compressing', 'compressed', 'goal', 'pending_steer_leftover', 'done', 'stream_end', 'cancel', 'error', 'apperror'
]
const terminal = new Set(['stream_end', 'cancel', 'error', 'apperror'])
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
    source = new EventSource(withQuery('/api/chat/stream', { stream_id: streamId, replay: 1, after_seq: seq }))
    for (const name of frames) source.addEventListener(name, receive)
  }

  function receive (event) {
    // A lost connection is told by the same event name as the service's own `error` frame.
    if (!(event instanceof MessageEvent)) return reconnect()
    const frameSeq = Number(event.lastEventId.slice(event.lastEventId.lastIndexOf(':') + 1))
    const isTerminal = terminal.has(event.type)
    if (frameSeq <= seq && !isTerminal) return
    seq = Math.max(seq, frameSeq)
    failures = 0
    if (isTerminal) close()
    onFrame(event.type, JSON.parse(event.data))
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
    source = new EventSource('/api/sessions/events')
    source.addEventListener('sessions_changed', (event) => {
      onConnection(true)
      onChange(JSON.parse(event.data))
    })
    source.addEventListener('error', () => {
      onConnection(false)
      if (source?.readyState !== EventSource.CLOSED) return
      // Refused rather than lost: the browser will not try again. If the reason is the sign-in, the list's own request says so.
      close()
      onChange({ reason: 'refused' })
      timer = setTimeout(open, retryMs.at(-1))
    })
  }
  return { open, close }
}
