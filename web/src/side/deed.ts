import { useRef, useState } from 'preact/hooks'
import { ApiError } from '../core/service/api.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'

export interface Deed {
  /** What is under way, by the name it was begun with. */
  doing: string | null
  /** Why the last one was not done, in a sentence. */
  problem: string | null
  /** Does one thing at a time; what the service refuses becomes the problem. */
  run: (name: string, work: () => Promise<void>) => Promise<void>
  tell: (problem: string | null) => void
}

/** What a person does in one place, and what became of it. */
export function useDeed (): Deed {
  const [doing, setDoing] = useState<string | null>(null)
  const [problem, tell] = useState<string | null>(null)
  const busy = useRef(false)
  const run = async (name: string, work: () => Promise<void>): Promise<void> => {
    if (busy.current) return
    busy.current = true
    setDoing(name)
    tell(null)
    try {
      await work()
    } catch (error) {
      tell(sentence(error))
    } finally {
      busy.current = false
      setDoing(null)
    }
  }
  return { doing, problem, run, tell }
}

/** What went wrong, for a person. What no service said is a fault of the app, and stays one. */
export function sentence (error: unknown): string {
  if (!(error instanceof ApiError)) throw error
  return screenWords.value.files.changes.refused[error.code ?? ''] ?? error.message
}

/** Says that something was done, with a way to take it back. */
export function offerUndo (text: string, undo: () => Promise<unknown>): void {
  const onPick = (): void => { undo().catch((error: unknown) => toast(sentence(error), { kind: 'bad' })) }
  toast(text, { action: { text: words.value.common.undo, onPick } })
}
