import { ApiError } from '../core/service/api.js'
import { toast } from './toasts.js'

/** Does something that the service may refuse, and says so where it does. Resolves with whether it was done. */
export async function attempt (act: () => Promise<unknown>): Promise<boolean> {
  try {
    return await act() !== false
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    toast(error.message, { kind: 'bad' })
    return false
  }
}
