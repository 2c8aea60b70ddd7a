import { type TSchema } from '@sinclair/typebox'
import { feedFrames } from '../../schemas/feed.js'
import { type Json } from './app.js'
import { type ReceivedFrame } from './events.js'
import { misfit } from './wire.js'

/** What a client makes of the frames of the stream of all events: the state that it would show. */
export class FeedClient {
  rows = new Map<string, Json>()
  prompts = new Map<string, Json>()
  settings: Json = null
  turns = new Map<string, ReceivedFrame[]>()
  notices: Json[] = []
  folders = new Map<string, Json>()
  /** The latest message of each watched session's own stream. */
  conversations = new Map<string, Json>()
  /** Turns that those have announced. */
  announced = new Set<string>()
  unknown: Json[] = []
  snapshots = 0
  /** Cursor to resume from. */
  cursor: string | null = null
  seen: string[] = []

  /** Applies a frame. Throws if it does not match its schema. */
  apply ({ id, event, data }: ReceivedFrame): void {
    const schema = (feedFrames as Record<string, TSchema>)[event]
    if (schema === undefined) throw new Error(`nobody has declared ${event}`)
    const problem = misfit(schema, data)
    if (problem !== null) throw new Error(`${event}: ${problem} ${JSON.stringify(data)}`)
    if (id !== null) this.cursor = id
    this.seen.push(event)
    switch (event) {
      case 'snapshot':
        this.snapshots++
        this.prompts = new Map()
        for (const prompt of data.prompts) this.#prompt(prompt)
        this.settings = data.settings
        this.#list(data.list)
        break
      case 'sessions': this.#list(data.list); break
      case 'session': this.rows.set(data.session_id, data.session); break
      case 'session_gone': this.rows.delete(data.session_id); break
      case 'prompts': this.#prompt(data); break
      case 'settings': this.settings = data.settings; break
      case 'notice': this.notices.push(data); break
      case 'turn': this.turns.set(data.stream_id, [...this.turns.get(data.stream_id) ?? [], { id: data.id, event: data.event, data: data.data }]); break
      case 'conversation':
        this.conversations.set(data.session_id, data.data)
        if (typeof data.data.stream_id === 'string') this.announced.add(data.data.stream_id)
        break
      case 'folder': this.folders.set(`${data.session_id}:${data.path}`, data.data); break
      default: this.unknown.push(data)
    }
  }

  /** Turns whose last frame has not arrived. */
  get unfinished (): string[] {
    return [...this.turns].filter(([, frames]) => !['stream_end', 'cancel', 'apperror'].includes(frames.at(-1)!.event)).map(([streamId]) => streamId)
  }

  /** The list as it is displayed. */
  get list (): Json[] {
    return [...this.rows.values()].sort((a, b) => (b.last_message_at ?? b.updated_at) - (a.last_message_at ?? a.updated_at) || (a.session_id < b.session_id ? 1 : -1))
  }

  #list ({ sessions }: Json): void {
    this.rows = new Map(sessions.map((row: Json) => [row.session_id, row]))
  }

  #prompt (prompt: Json): void {
    const key = `${prompt.event} ${prompt.session_id}`
    if (prompt.data.pending_count === 0) this.prompts.delete(key)
    else this.prompts.set(key, [prompt.data.pending, ...prompt.waiting])
  }
}

/** Parses the frames in the text of a stream. */
export function framesIn (text: string): ReceivedFrame[] {
  return text.split('\n\n').filter((block) => block !== '' && !block.startsWith(':')).map((block) => {
    const part = (name: string) => block.split('\n').find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null
    return { id: part('id'), event: part('event') ?? 'message', data: JSON.parse(part('data') ?? 'null') }
  })
}
