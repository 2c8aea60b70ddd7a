import { useRef, useState } from 'preact/hooks'
import { ApiError } from '../core/service/api.js'

export interface Requesting {
  isBusy: boolean
  /** The service's refusal; null if there is none, or for an error of the form itself. */
  error: ApiError | null
  /** The error message of the service or the form; null if there is none. */
  problem: string | null
  setProblem: (words: string | null) => void
  /** Runs a request, one at a time. Errors other than refusals are thrown. */
  run: (act: () => Promise<unknown>) => Promise<void>
}

/** The requests of a form, one at a time. A new attempt clears the last error. */
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
