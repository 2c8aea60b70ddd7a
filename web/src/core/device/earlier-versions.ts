import { signal } from '@preact/signals-core'

/** A message that was sent again in a chat: its place, a hash of its text, and the branch with the earlier conversation. */
interface Version { index: number, mark: number, keptSessionId: string }

export interface SentAgain { index: number | null, text: string, keptSessionId: string | null }

export interface EarlierVersionsOptions { store: Pick<Storage, 'getItem' | 'setItem'> }

const storageKey = 'earlier-versions'
const mostChats = 50
const mostInChat = 20

/** The branches that hold earlier answers to a message, on this device. The session list contains them as well. */
export class EarlierVersions {
  readonly #chats = signal<ReadonlyMap<string, readonly Version[]>>(new Map())

  constructor (readonly options: EarlierVersionsOptions) {
    this.#chats.value = new Map(kept(options.store))
  }

  /** Remembers that a message was sent again. */
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

  /** Returns the branches with earlier answers to a message, the oldest first. A reactive read. */
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

/** Returns a hash that tells a message from a later one in its place; the text itself is not stored. */
function markOf (text: string): number {
  let mark = 5_381
  for (let at = 0; at < text.length; at++) mark = (mark * 33 ^ text.charCodeAt(at)) >>> 0
  return mark
}
