import { useRef, useState } from 'preact/hooks'
import { ApiError } from '../core/service/api.js'

export interface Requesting {
  isBusy: boolean
  /** What the service has refused; null: nothing, or the form has found something wrong by itself. */
  error: ApiError | null
  /** What is wrong, in words: the service's, or those of the form. */
  problem: string | null
  setProblem: (words: string | null) => void
  /** Does what the service may refuse; nothing while something is under way. Other faults are thrown on. */
  run: (act: () => Promise<unknown>) => Promise<void>
}

/** What a form asks of the service, one thing at a time. What was wrong is forgotten with the next try. */
export function useRequest (): Requesting {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<ApiError | string | null>(null)
  const isUnderWay = useRef(false)
  const run: Requesting['run'] = async (act) => {
    if (isUnderWay.current) return
    isUnderWay.current = true
    setBusy(true)
    setFailure(null)
    try {
      await act()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      setFailure(error)
    } finally {
      isUnderWay.current = false
      setBusy(false)
    }
  }
  const [error, problem] = failure instanceof ApiError ? [failure, failure.message] : [null, failure]
  return { isBusy, error, problem, setProblem: setFailure, run }
}
