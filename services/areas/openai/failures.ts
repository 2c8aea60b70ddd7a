import { Invalid } from '../../ground/errors.js'
import { type NoAnswer } from './answer.js'

/** An error in the form that clients of OpenAI's interface know. */
export interface Failure { message: string, type: string, param: string | null, code: string | null }

/** A request that cannot be served as it is; `param` names the faulty part, `reason` is OpenAI's code for the fault. */
export class RequestRefused extends Invalid {
  constructor (message: string, readonly param: string, readonly reason: string | null = null) { super(message) }
}

const types: Record<number, string> = { 401: 'authentication_error', 403: 'permission_error', 429: 'rate_limit_error' }

/** Builds the error for a status. `code` is the service's own, null if there is none. */
export function failureOf (status: number, message: string, code: string | null = null, param: string | null = null): Failure {
  const type = types[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error')
  return { message, type, param, code: code ?? (status === 401 ? 'invalid_api_key' : null) }
}

/**
 * The status of a turn without an answer. A refused key is the provider's, not this client's (502), and a turn that was cancelled in the
 * app must not be retried (400).
 */
const statuses: Record<string, number> = {
  model_not_found: 404, mode_not_allowed: 403, rate_limit: 429, quota_exhausted: 429, cancelled: 400, interrupted: 503, auth_mismatch: 502,
  no_response: 502, answer_too_large: 502, compression_exhausted: 400, unsupported: 400, format_missed: 502
}

export function failureOfTurn ({ message, type }: NoAnswer): { status: number, failure: Failure } {
  const status = statuses[type] ?? 502
  return { status, failure: failureOf(status, message, type) }
}
