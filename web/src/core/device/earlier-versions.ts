import { signal } from '@preact/signals-core'

/** What was sent anew in a chat: the message's place and a mark of its text, and where the conversation goes on as it was before. */
interface Version { index: number, mark: number, keptSessionId: string }

export interface SentAgain { index: number | null, text: string, keptSessionId: string | null }

export interface EarlierVersionsOptions { store: Pick<Storage, 'getItem' | 'setItem'> }

const storageKey = 'earlier-versions'
const mostChats = 50
const mostInChat = 20

/** The chats that hold earlier answers to a message, on this device. They are listed among all chats as well. */
export class EarlierVersions {
  readonly #chats = signal<ReadonlyMap<string, readonly Version[]>>(new Map())

  constructor (readonly options: EarlierVersionsOptions) {
    this.#chats.value = new Map(kept(options.store))
  }

  /** A message was sent anew. */
  add (sessionId: string, { index, text, keptSessionId }: SentAgain): void {
    if (index === null || keptSessionId === null) return
    const own = this.#chats.peek().get(sessionId) ?? []
    const others = [...this.#chats.peek()].filter(([id]) => id !== sessionId)
    const next: Array<[string, readonly Version[]]> = [
      ...others, [sessionId, [...own, { index, mark: markOf(text), keptSessionId }].slice(-mostInChat)]
    ]
    this.#chats.value = new Map(next.slice(-mostChats))
    try {
      this.options.store.setItem(storageKey, JSON.stringify([...this.#chats.peek()]))
    } catch {}
  }

  /** The chats with the earlier answers to a message, the oldest first. Read while drawing, it follows. */
  of (sessionId: string, { index, text }: Pick<SentAgain, 'index' | 'text'>): string[] {
    const mark = markOf(text)
    return (this.#chats.value.get(sessionId) ?? []).filter((one) => one.index === index && one.mark === mark).map(({ keptSessionId }) =>
      keptSessionId)
  }
}

function kept (store: EarlierVersionsOptions['store']): Array<[string, Version[]]> {
  try {
    const found: unknown = JSON.parse(store.getItem(storageKey) ?? '[]')
    return Array.isArray(found)
      ? found.filter((one): one is [string, Version[]] => Array.isArray(one) && typeof one[0] === 'string' && Array.isArray(one[1]))
      : []
  } catch {
    return []
  }
}

/** By which a message is told from another one that stands in its place later; its text itself is not kept. */
function markOf (text: string): number {
  let mark = 5_381
  for (let at = 0; at < text.length; at++) mark = (mark * 33 ^ text.charCodeAt(at)) >>> 0
  return mark
}
