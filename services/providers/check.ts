import { codesOf } from '../ground/network/unreached.js'
import { classifyModelError, leadsElsewhere, leadsToMetadata } from './errors.js'
import { guardedFetch } from './guarded-fetch.js'
import { unreached } from './unreachable.js'
import { limitedFetch, limitedResponse } from './limited-fetch.js'
import { listModels, type ModelInfo } from './models.js'
import { missingCredential, type ProviderEntry } from './registry.js'

/** Problems of a provider, as clients distinguish them. */
export type ProviderProblem =
  'not_set_up' | 'invalid_key' | 'no_quota' | 'rate_limited' | 'unknown_model' | 'tls' | 'name_not_found'
  | 'refused' | 'timed_out' | 'no_answer' | 'wrong_address' | 'proxy' | 'provider_failed' | 'not_understood'

/** `problem` is null if the provider answered; `models` are those that it lists. */
export interface ProviderCheck { problem: ProviderProblem | null, message: string, models: ModelInfo[] }

/** The outcome of one request: a network error, or the status and the beginning of the answer. */
interface ProbeOutcome { error?: unknown, status?: number, said?: string }

const saidChars = 4_000

/**
 * Requests a provider's models with its key, and says in words what is wrong. If a provider's list is public, its key is checked by another
 * request where the provider offers one. Never throws. The words contain no key, address or path.
 */
export async function checkProvider (
  entry: ProviderEntry, { timeoutMs, fetch = guardedFetch }: { timeoutMs: number, fetch?: typeof globalThis.fetch }
): Promise<ProviderCheck> {
  const problem = missingCredential(entry)
  if (problem !== null) return { problem: 'not_set_up', message: problem, models: [] }
  let last: ProbeOutcome = {}
  const watched: typeof globalThis.fetch = async (input, init) => {
    try {
      const response = await fetch(input, init)
      last = { status: response.status }
      if (!response.ok) last.said = (await limitedResponse(response.clone()).text().catch(() => '')).slice(0, saidChars)
      return response
    } catch (error) {
      last = { error }
      throw error
    }
  }
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const models = await listModels(entry, { signal, fetch: watched })
    const refused = entry.kind === 'openrouter' ? await refusedKey(entry, watched, signal) : false
    if (refused) return { problem: 'invalid_key', message: `${entry.displayName} refused the API key.`, models: [] }
    return {
      problem: null, message: `${entry.displayName} answers and lists ${models.length} model${models.length === 1 ? '' : 's'}.`, models
    }
  } catch (error) {
    return { ...wordsFor(entry.displayName, last, signal.aborted, error), models: [] }
  }
}

/** Checks the key separately, because OpenRouter lists its models without one. */
async function refusedKey (entry: ProviderEntry, fetch: typeof globalThis.fetch, signal: AbortSignal): Promise<boolean> {
  const response = await limitedFetch(fetch)(`${entry.baseUrl ?? 'https://openrouter.ai/api/v1'}/key`, {
    headers: { authorization: `Bearer ${entry.apiKey ?? ''}` }, signal
  })
  await response.body?.cancel().catch(() => {})
  return response.status === 401 || response.status === 403
}

function wordsFor (
  name: string, { error, status, said = '' }: ProbeOutcome, isLate: boolean, thrown: unknown
): { problem: ProviderProblem, message: string } {
  const as = (problem: ProviderProblem, message: string) => ({ problem, message })
  if (isLate) return as('timed_out', `${name} did not answer in time.`)
  if (error !== undefined) return networkProblem(name, error)
  const failure = status === undefined ? null : classifyModelError({ error: { message: said, code: status } }, name)
  if (failure?.type === 'quota_exhausted') return as('no_quota', failure.message)
  if (status === 401 || status === 403) return as('invalid_key', `${name} refused the API key.`)
  if (status === 429) return as('rate_limited', `${name} limits how many requests it takes and refused this one.`)
  if (status === 404 || status === 405) {
    return as(
      'wrong_address',
      `There is a server, but no list of models at its address (status ${status}). Check the base URL; it mostly ends in /v1.`
    )
  }
  if (status !== undefined && status >= 300 && status < 400) return as('wrong_address', leadsElsewhere(name, status))
  if (status !== undefined && status >= 500) return as('provider_failed', `${name} has a problem of its own (status ${status}).`)
  return as('not_understood', thrown instanceof Error ? thrown.message : `${name} sent an invalid answer.`)
}

function networkProblem (name: string, error: unknown): { problem: ProviderProblem, message: string } {
  const codes = codesOf(error).join(' ')
  if (/ERR_ADDRESS_REFUSED/.test(codes)) return { problem: 'wrong_address', message: leadsToMetadata(name) }
  const reach = unreached(name, error)
  if (reach !== null) return { problem: reach.problem, message: `${reach.message} ${reach.hint}` }
  if (/TIMEDOUT|TIMEOUT|TimeoutError|AbortError/i.test(codes)) return { problem: 'timed_out', message: `${name} did not answer in time.` }
  return { problem: 'no_answer', message: `${name} cannot be reached, or broke off.` }
}
