import { signal } from '@preact/signals-core'

/** A message that was sent again in a chat: its place, a hash of its text, and the branch with the earlier conversation. */
interface Version { index: number, mark: number, keptSessionId: string }

export interface SentAgain {
  index: number | null
  text: string
  /** The earlier text, if it was different. */
  before?: string
  keptSessionId: string | null
}

export interface EarlierVersionsOptions { store: Pick<Storage, 'getItem' | 'setItem'> }

const storageKey = 'earlier-versions'
const mostChats = 50
const mostInChat = 20

/** The branches that hold earlier versions of a message and its answer, on this device. The session list contains them too. */
export class EarlierVersions {
  readonly #chats = signal<ReadonlyMap<string, readonly Version[]>>(new Map())

  constructor (readonly options: EarlierVersionsOptions) {
    this.#chats.value = new Map(kept(options.store))
  }

  /** Remembers that a message was sent again. */
  add (sessionId: string, { index, text, before = text, keptSessionId }: SentAgain): void {
    if (index === null || keptSessionId === null) return
    const mark = markOf(text)
    const replaced = markOf(before)
    // Earlier versions of the replaced text are versions of the new one too.
    const own = (this.#chats.peek().get(sessionId) ?? [])
      .map((one) => one.index === index && one.mark === replaced ? { ...one, mark } : one)
    const others = [...this.#chats.peek()].filter(([id]) => id !== sessionId)
    this.#keep([...others, [sessionId, [...own, { index, mark, keptSessionId }].slice(-mostInChat)]])
  }

  /** Forgets a branch that no longer exists. */
  forget (keptSessionId: string): void {
    this.#keep([...this.#chats.peek()].map(([id, own]) => [id, own.filter((one) => one.keptSessionId !== keptSessionId)] as const))
  }

  /**
   * Returns the sessions that hold the versions of a message and its answer, the oldest first, including this one. Works from the chat and
   * from a branch that keeps an earlier version. A reactive read.
   */
  of (sessionId: string, { index, text }: Pick<SentAgain, 'index' | 'text'>): string[] {
    const chats = this.#chats.value
    const mark = markOf(text)
    const seen = new Set<string>()
    const expand = (id: string): string[] => {
      if (seen.has(id)) return []
      seen.add(id)
      // The text is known for this chat only, so other chats are matched by index alone.
      const own = (chats.get(id) ?? []).filter((one) => one.index === index && (id !== sessionId || one.mark === mark))
      return [...own.flatMap((one) => expand(one.keptSessionId)), id]
    }
    const versions = expand(firstOf(chats, sessionId, index))
    return versions.includes(sessionId) ? versions : [sessionId]
  }

  #keep (chats: ReadonlyArray<readonly [string, readonly Version[]]>): void {
    this.#chats.value = new Map(chats.slice(-mostChats))
    try {
      this.options.store.setItem(storageKey, JSON.stringify([...this.#chats.peek()]))
    } catch {}
  }
}

/** Follows the branches back and returns the chat whose retries, directly or through other branches, created this session. */
function firstOf (chats: ReadonlyMap<string, readonly Version[]>, sessionId: string, index: number | null): string {
  const passed = new Set<string>()
  for (let id = sessionId; ;) {
    passed.add(id)
    const from = [...chats].find(([, own]) => own.some((one) => one.keptSessionId === id && one.index === index))?.[0]
    if (from === undefined || passed.has(from)) return id
    id = from
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
