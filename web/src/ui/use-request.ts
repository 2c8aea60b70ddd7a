import { type RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from '../core/service/api.js'

export interface Requesting<Form extends HTMLElement> {
  isBusy: boolean
  /** The service's refusal; null if there is none, or for an error of the form itself. */
  error: ApiError | null
  /** The error message of the service or the form as a whole; null if there is none. */
  problem: string | null
  /** Returns what is wrong with a field; null if nothing is. */
  problemAt: (field: string) => string | null
  /** `field`: the one that is wrong. The first such field in `form` gets the focus, because it may be out of view. */
  setProblem: (words: string | null, field?: string) => void
  form: RefObject<Form>
  /** Runs a request, one at a time. Errors other than refusals are thrown. */
  run: (act: () => Promise<unknown>) => Promise<void>
}

interface FormProblem { words: string, field: string | undefined }

/** The requests of a form, one at a time. A new attempt clears the last error. */
export function useRequest<Form extends HTMLElement = HTMLFormElement> (): Requesting<Form> {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<ApiError | FormProblem | null>(null)
  const isUnderWay = useRef(false)
  const form = useRef<Form>(null)
  const error = failure instanceof ApiError ? failure : null
  const wrong = failure instanceof ApiError ? null : failure
  useLayoutEffect(() => {
    if (wrong?.field !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [wrong])
  const run: Requesting<Form>['run'] = async (act) => {
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
  return {
    isBusy, error, form, run,
    problem: error?.message ?? (wrong?.field === undefined ? wrong?.words ?? null : null),
    problemAt: (name) => wrong?.field === name ? wrong.words : null,
    setProblem: (words, field) => setFailure(words === null ? null : { words, field })
  }
}
