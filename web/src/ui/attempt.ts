import { ApiError } from '../core/service/api.js'
import { toast } from './toasts.js'

/** Runs a request, and shows the error if it fails. Resolves with whether it succeeded. */
export async function attempt (act: () => Promise<unknown>): Promise<boolean> {
  try {
    return await act() !== false
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    toast(error.message, { kind: 'bad' })
    return false
  }
}

/** Runs a request for each id, one after the other, and continues after a failure. Resolves with whether all succeeded. */
export async function attemptEach (ids: readonly string[], act: (id: string) => Promise<unknown>): Promise<boolean> {
  let isDone = true
  for (const id of ids) isDone = await attempt(async () => await act(id)) && isDone
  return isDone
}
