/**
 * Whether anyone reads: from the first reader's arrival until a while after the last has left, because a reader that reloads a page has not
 * gone.
 */
export interface ReaderPresence {
  /** Adds a listener that is called at each change. */
  listen (listener: (is: boolean) => void): void
  come (): void
  leave (): void
  stop (): void
}

export function createReaderPresence (awayAfterMs: number): ReaderPresence {
  const listeners: Array<(is: boolean) => void> = []
  let count = 0
  let is = false
  let leaving: NodeJS.Timeout | undefined
  const tell = (next: boolean): void => {
    if (is === next) return
    is = next
    for (const listener of listeners) listener(is)
  }
  return {
    listen: (listener) => { listeners.push(listener) },
    come () {
      count++
      clearTimeout(leaving)
      tell(true)
    },
    leave () {
      count--
      if (count === 0) leaving = setTimeout(() => tell(false), awayAfterMs).unref()
    },
    stop: () => clearTimeout(leaving)
  }
}
