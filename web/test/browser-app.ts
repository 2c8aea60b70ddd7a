import { effect, signal } from '@preact/signals-core'
import { setTimeout as delay } from 'node:timers/promises'
import { Api, ApiError } from '../src/core/service/api.js'
import { type Conversation } from '../src/core/conversation/conversation.js'
import { isTerminal, type Link, type TurnFrame, type TurnListener } from '../src/core/service/link.js'
import { uploadForm, type Upload } from '../src/core/composer/uploads.js'
import { type TestLike } from '../../test/support/app.js'
import { openEvents, type EventReader } from '../../test/support/events.js'

/** A link as plain as can be: a stream for each session and each turn. */
export interface TestLink extends Link {
  /** Every frame of a turn that came, in the order in which it was handed on. */
  readonly heard: TurnFrame[]
  /** Drops all connections as a lost network does; they are opened again. */
  lose: () => void
  /** Nothing is handed on until `release`. */
  hold: () => void
  release: () => void
}

export interface BrowserApp { api: Api, link: TestLink }

/** What a window has of a service. */
export function browserApp (t: TestLike, url: string): BrowserApp {
  const api = new Api({ origin: url })
  return { api, link: testLink(t, url) }
}

function testLink (t: TestLike, url: string): TestLink {
  const open = new Set<EventReader>()
  const heard: TurnFrame[] = []
  let held: Array<() => void> | null = null
  const life = { isOver: false }
  t.teardown(() => {
    life.isOver = true
    for (const reader of open) reader.drop()
  })
  const hand = (deliver: () => void): void => { if (held === null) deliver(); else held.push(deliver) }

  /** Reads a stream, and again when it was cut, until `onFrame` says that it was the last one or nobody wants more. */
  async function read (path: () => string, isWanted: () => boolean, onFrame: (event: string, data: Record<string, unknown>, id: string | null) => boolean, onUnknown: () => void): Promise<void> {
    while (isWanted() && !life.isOver) {
      const reader = await openEvents(`${url}${path()}`, { 'user-agent': 'test link' }).catch(() => null)
      if (reader === null) {
        await delay(5)
        continue
      }
      if (reader.status !== 200) return onUnknown()
      open.add(reader)
      let seen = 0
      let isLast = false
      while (!isLast && isWanted() && !life.isOver) {
        await Promise.race([reader.until(() => reader.frames.length > seen).catch(() => {}), reader.ended])
        const fresh = reader.frames.slice(seen)
        if (fresh.length === 0) break
        seen += fresh.length
        for (const { event, data, id } of fresh) isLast = onFrame(event, data, id) || isLast
      }
      open.delete(reader)
      reader.drop()
      if (isLast) return
    }
  }

  function follow (streamId: string, afterSeq: number, { onTurn, onUnknown }: TurnListener): () => void {
    let isWanted = true
    let position = afterSeq
    void read(() => `/api/chat/stream?stream_id=${streamId}&replay=1&after_seq=${position}`, () => isWanted, (event, data, id) => {
      position = Number(id?.split(':').at(-1))
      const seq = position
      const frame = { event, data } as TurnFrame
      hand(() => {
        if (!isWanted) return
        heard.push(frame)
        onTurn(streamId, seq, frame)
      })
      return isTerminal(event)
    }, () => hand(() => onUnknown?.(streamId)))
    return () => { isWanted = false }
  }

  return {
    state: signal('open'),
    heard,
    onFrame: () => () => {},
    watchFolder: () => () => {},
    retry: () => {},
    followTurn: follow,
    watchSession (sessionId, listener) {
      let isWanted = true
      const followed = new Map<string, () => void>()
      void read(() => `/api/session/stream?session_id=${sessionId}`, () => isWanted, (event, data) => {
        hand(() => { if (isWanted) listener.onConversation(event, data) })
        const streamId = data.active_stream_id
        if (typeof streamId === 'string' && !followed.has(streamId)) followed.set(streamId, follow(streamId, 0, listener))
        return false
      }, () => {})
      return () => {
        isWanted = false
        for (const unfollow of followed.values()) unfollow()
      }
    },
    lose () { for (const reader of open) reader.drop() },
    hold () { held ??= [] },
    release () {
      const waiting = held ?? []
      held = null
      for (const deliver of waiting) deliver()
    }
  }
}

/** Resolves with the first truthy thing that is seen in signals. */
export async function until<Value> (look: () => Value): Promise<Exclude<Value, null | undefined | false | '' | 0>> {
  return await new Promise((resolve) => {
    let isFound = false
    const stop = effect(() => {
      const found = look()
      if (!found || isFound) return
      isFound = true
      queueMicrotask(() => stop())
      resolve(found as Exclude<Value, null | undefined | false | '' | 0>)
    })
  })
}

/** What a conversation shows, in a line for each thing. */
export function shownIn ({ transcript }: Pick<Conversation, 'transcript'>): string[] {
  return transcript.exchanges.value.flatMap(({ user, parts, head }) => [
    ...(user.value === null ? [] : [`you: ${user.value.text}${user.value.attachments.map(({ name }) => ` [${name}]`).join('')}`]),
    ...parts.value.map(({ part: { value: part } }) => 'text' in part ? `${part.kind}: ${part.text}` : `${part.kind}: ${part.name} ${part.state}`),
    head.value.state
  ])
}

/** A picture is painted whenever nothing else is to be done. */
export const soon = (draw: () => void): void => { setImmediate(draw) }

/** Files go by the same form as in a browser, without anything that tells how much of them has gone. */
export function plainUpload (api: Api): Upload {
  return (file, fields) => {
    const aborting = new AbortController()
    const answer = fetch(api.url('/api/upload'), { method: 'POST', body: uploadForm(file, fields), signal: aborting.signal })
      .then((response) => api.read(response) as ReturnType<Upload>['answer'], () => { throw new ApiError('broken off', 0) })
    return { answer, abort: () => aborting.abort() }
  }
}
