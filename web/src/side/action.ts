import { useRef, useState } from 'preact/hooks'
import { ApiError } from '../core/service/api.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'

export interface Action {
  /** The name of the running operation; null if none runs. */
  doing: string | null
  /** Why the last operation failed, in a sentence; null if it did not. */
  problem: string | null
  /** Runs one operation at a time; a refusal of the service becomes the problem. */
  run: (name: string, work: () => Promise<void>) => Promise<void>
  tell: (problem: string | null) => void
}

/** The operations of one view, with their errors. */
export function useAction (): Action {
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

/** Returns the message of a refusal. Any other error is a fault of the app, and is thrown. */
export function sentence (error: unknown): string {
  if (!(error instanceof ApiError)) throw error
  return screenWords.value.files.changes.refused[error.code ?? ''] ?? error.message
}

/** Reports that something was done, and offers to undo it. */
export function offerUndo (text: string, undo: () => Promise<unknown>): void {
  const onPick = (): void => { undo().catch((error: unknown) => toast(sentence(error), { kind: 'bad' })) }
  toast(text, { action: { text: words.value.common.undo, onPick } })
}
