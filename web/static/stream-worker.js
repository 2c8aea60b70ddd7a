/* global self, EventSource, MessageEvent, setTimeout, clearTimeout, setInterval */
import { framesOf, seqOf, terminal } from './frames.js'

// One for all windows of a browser. A browser has six connections for all its windows on a service, so streams are
// shared: each is opened once, however many windows read it, and of those that more windows want than there are places
// each gets its turn. A stream that is put aside goes on where it was, by its cursor.

/** Besides the one for the list of sessions; the others are left for requests. */
const places = 3
const sliceMs = 700
/** Windows tell that they are there. Hidden ones are slow to, by a minute. */
const silentMs = 150_000

/** By address, those that have waited longest first. */
const channels = new Map()
/** When each window was heard of last. */
const windows = new Map()
let turning

function open (port, { id, kind, url, after }) {
  // It may say again what it has said before.
  forget(port, id)
  const channel = channels.get(url) ?? { url, kind, readers: new Set(), source: null, position: after, since: 0 }
  channels.set(url, channel)
  const reader = { port, id, position: after }
  channel.readers.add(reader)
  if (channel.source !== null && kind === 'sessions') {
    if (channel.source.readyState === EventSource.OPEN) tell(reader, { event: 'sessions_changed', data: '{"reason":"initial"}', lastEventId: '' })
  } else if (kind === 'folder' || after < channel.position) {
    // A folder's stream begins with how it stands; a turn's has to go back to where this window is.
    pause(channel)
  }
  share()
}

function close (port, id) {
  forget(port, id)
  for (const channel of channels.values()) if (channel.readers.size === 0) drop(channel)
  share()
}

/** Without an id, everything that a window reads. */
function forget (port, id) {
  for (const { readers } of channels.values()) {
    for (const reader of readers) if (reader.port === port && (id === undefined || reader.id === id)) readers.delete(reader)
  }
}

function drop (channel) {
  pause(channel)
  channels.delete(channel.url)
}

function pause (channel) {
  channel.source?.close()
  channel.source = null
}

function connect (channel) {
  channel.position = Math.min(...[...channel.readers].map((reader) => reader.position))
  channel.since = performance.now()
  const source = new EventSource(channel.kind === 'turn' ? `${channel.url}&after_seq=${channel.position}` : channel.url)
  channel.source = source
  for (const name of new Set([...framesOf[channel.kind], 'error'])) {
    source.addEventListener(name, (event) => {
      if (channel.source !== source) return
      if (event instanceof MessageEvent) hear(channel, event)
      else lose(channel)
    })
  }
}

function hear (channel, { type, data, lastEventId }) {
  const seq = seqOf(lastEventId)
  const isLast = channel.kind === 'turn' && terminal.has(type)
  channel.position = Math.max(channel.position, seq)
  if (isLast) drop(channel)
  for (const reader of channel.readers) {
    if (channel.kind === 'turn' && seq <= reader.position && !isLast) continue
    reader.position = Math.max(reader.position, seq)
    tell(reader, { event: type, data, lastEventId })
  }
  if (isLast) share()
}

/** Windows ask themselves what has become of a turn; the other streams come back by themselves unless they were refused. */
function lose (channel) {
  const isOver = channel.kind === 'turn' || channel.source.readyState === EventSource.CLOSED
  if (isOver) drop(channel)
  for (const reader of channel.readers) tell(reader, { lost: true, isOver })
  if (isOver) share()
}

function tell ({ port, id }, message) {
  port.postMessage({ id, ...message })
}

function share () {
  clearTimeout(turning)
  const all = [...channels.values()]
  for (const channel of all) if (channel.kind === 'sessions' && channel.source === null) connect(channel)
  const shared = all.filter(({ kind }) => kind !== 'sessions')
  const waiting = shared.filter(({ source }) => source === null)
  let free = places - (shared.length - waiting.length)
  while (free-- > 0 && waiting.length > 0) connect(waiting.shift())
  if (waiting.length > 0) turning = setTimeout(giveWay, sliceMs)
}

/** Who has a place for longest gives it to who waits for longest. */
function giveWay () {
  const [oldest] = [...channels.values()].filter(({ kind, source }) => kind !== 'sessions' && source !== null).sort((a, b) => a.since - b.since)
  pause(oldest)
  channels.delete(oldest.url)
  channels.set(oldest.url, oldest)
  share()
}

self.addEventListener('connect', ({ ports: [port] }) => {
  windows.set(port, performance.now())
  port.addEventListener('message', ({ data }) => {
    // It was taken for gone: it has to say again what it wants.
    if (!windows.has(port) && data.bye !== true) port.postMessage({ forgotten: true })
    if (data.bye === true) {
      windows.delete(port)
      return close(port)
    }
    windows.set(port, performance.now())
    if (data.open !== undefined) open(port, data.open)
    else if (data.close !== undefined) close(port, data.close)
  })
  port.start()
})

setInterval(() => {
  for (const [port, heardAt] of windows) {
    if (performance.now() - heardAt < silentMs) continue
    windows.delete(port)
    close(port)
  }
}, 30_000)
