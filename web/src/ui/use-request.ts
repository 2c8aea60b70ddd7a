import { useRef, useState } from 'preact/hooks'
import { ApiError } from '../core/service/api.js'

export interface Requesting {
  isBusy: boolean
  /** The service's refusal; null if there is none, or for an error of the form itself. */
  error: ApiError | null
  /** The error message of the service or the form as a whole; null if there is none. */
  problem: string | null
  /** Returns what is wrong with a field; null if nothing is. */
  problemAt: (field: string) => string | null
  /** `field`: the one that is wrong. */
  setProblem: (words: string | null, field?: string) => void
  /** Runs a request, one at a time. Errors other than refusals are thrown. */
  run: (act: () => Promise<unknown>) => Promise<void>
}

interface FormProblem { words: string | null, field?: string | undefined }
const noProblem: FormProblem = { words: null }

/** The requests of a form, one at a time. A new attempt clears the last error. */
export function useRequest (): Requesting {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<ApiError | FormProblem | null>(null)
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
  const [error, { words, field }] = failure instanceof ApiError ? [failure, { words: failure.message }] : [null, failure ?? noProblem]
  return {
    isBusy, error, run,
    problem: field === undefined ? words : null,
    problemAt: (name) => name === field ? words : null,
    setProblem: (words, field) => setFailure(words === null ? null : { words, field })
  }
}
