import { APICallError } from '@ai-sdk/provider'
import { fieldsOf } from '../ground/fields.js'
import { tried } from '../ground/tried.js'
import { AddressRefused } from './guarded-fetch.js'
import { AnswerTooLarge } from './limits.js'
import { believed, limitResets, limitWords, retryAfter, retryInfo, saysUsedUp } from './limit-times.js'
import { isWebPage, unreached, webPageInWords, type Unreached } from './unreachable.js'
import { redact } from '../ground/redaction/index.js'
import { parseJson } from '../ground/text/parse-json.js'

/** Thrown if a provider cannot be used as it is set up. The message says what to do. */
export class ProviderNotReady extends Error {}

export interface ModelFailure {
  type: 'rate_limit' | 'quota_exhausted' | 'auth_mismatch' | 'model_not_found' | 'no_response' | 'answer_too_large' | 'error'
  /** A sentence that a person can act on: no key, no path, no stack. */
  message: string
  hint?: string
  /** Whom and which model the message names, if it is the usual sentence of its type, so that clients can say it in other words. */
  about?: { provider: string, model?: string }
  /** Whether the same request may succeed if it is sent again. */
  retryable: boolean
  /** How long the provider asked to wait. */
  retryAfterMs?: number
  /**
   * Set for a limit that passes, but for which no turn keeps waiting with its resources held: in how many milliseconds it passes, or null
   * if that is unknown. Absent for a limit that passes within a minute.
   */
  limit?: { waitMs: number | null }
  /** Whether the conversation is too long for the model. */
  contextOverflow: boolean
  /** The terminal state of the stream, if it says more than an error. */
  terminalState?: string
}

/** The provider that the request went to. The key is used only to keep it out of the message. */
interface Whose { provider?: { displayName: string, apiKey?: string | null }, modelId?: string }

/** What a failed request shows, whatever form the failure had. */
interface Evidence {
  status?: number
  code: string
  text: string
  retryAfterMs?: number
  /** When the account's limits pass, according to everything else in the answer. */
  resetsMs?: number
  retryable?: boolean
  network: boolean
}

const overflow = /context_length_exceeded|context[ _-]?(?:length|window|size)|maximum context|prompt is too long|input (?:token count|is too long)|too many (?:input )?tokens|request_too_large|exceeds? the (?:model|available|maximum).{0,30}(?:context|tokens)/i
const quota = /insufficient_quota|billing|credit balance|out of credits|exceeded your current quota|payment required/i
const overloaded = /\boverloaded\b|temporarily unavailable|try again later/i
const networkCodes = /ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|UND_ERR|ERR_STREAM_PREMATURE_CLOSE/
const networkWords = /fetch failed|terminated|socket hang up|other side closed|cannot connect to api|premature close|network error|aborted/i
/** The names of errors with which the turn loop stops waiting, besides those of the platform. */
const silence = /AbortError|TimeoutError|ModelSilent|ModelCutOff|ModelEmpty/
const cutWords = /without a finish reason|stream (?:ended|closed) (?:unexpectedly|before)|ended before|message_stop|unexpected end/i

/** How much of a provider's message is read. */
const readChars = 4_000

/** A proxy that is in trouble for a moment answers like this. The next answer may be valid. */
const garbled = /JSONParseError|TypeValidationError|InvalidResponseDataError|EmptyResponseBodyError/

/**
 * Explains what went wrong with a model request: an AI SDK error, an error object from a stream, a network failure or a time-out. An abort
 * counts as "no response", because a caller that cancelled on purpose knows that anyway.
 */
export function classifyModelError (error: unknown, whose: string | Whose = {}): ModelFailure {
  const { provider, modelId } = typeof whose === 'string' ? { provider: { displayName: whose }, modelId: undefined } : whose
  const name = provider?.displayName ?? 'The model provider'
  const tooLarge = within(error, AnswerTooLarge)
  if (tooLarge !== null) return withoutEnd(name, tooLarge)
  if (within(error, AddressRefused) !== null) {
    return {
      type: 'error', message: leadsToMetadata(name), hint: 'Set another base URL for this provider.', retryable: false, contextOverflow: false
    }
  }
  const evidence = evidenceOf(error)
  const { status, retryAfterMs } = evidence
  const searched = `${evidence.code} ${evidence.text}`
  const result = (type: ModelFailure['type'], message: string, retryable: boolean, hint?: string): ModelFailure => ({
    type, message, retryable, contextOverflow: false, ...(hint !== undefined && { hint }),
    ...(retryAfterMs !== undefined && { retryAfterMs })
  })

  /** A result whose message says no more than its type and what it names. */
  const usual = (type: ModelFailure['type'], message: string, retryable: boolean, hint: string, model?: string): ModelFailure =>
    ({ ...result(type, message, retryable, hint), about: { provider: name, ...(model !== undefined && { model }) } })

  const reach = APICallError.isInstance(error) && isAnsweredByPage(error)
    ? webPageInWords(name)
    : status === undefined ? unreached(name, error) : null
  if (reach !== null) return asFailure(reach)
  if (error instanceof ProviderNotReady) return result('auth_mismatch', error.message, false)
  if (status !== 429 && overflow.test(searched) && (status === undefined || (status >= 400 && status < 500))) {
    const message = `The conversation is too long for ${modelId ?? 'the model'} at ${name}.`
    return {
      ...result('error', message, false, 'Compress the conversation, start a new one or choose a model with a larger context.'),
      contextOverflow: true
    }
  }
  if (status === 402 || ((quota.test(searched) || saysUsedUp(evidence.text)) && status !== 401)) {
    return {
      ...usual(
        'quota_exhausted', `The account at ${name} has no quota left.`, false, 'Add credit at the provider or choose another provider.'
      ),
      ...quotaLimit(evidence)
    }
  }
  if (status === 401 || status === 403 || /authentication_error|invalid_api_key|permission_error/i.test(evidence.code)) {
    return usual('auth_mismatch', `${name} refused the API key.`, false, 'Check the key of this provider in Models.')
  }
  if (status === 429 || /rate_limit|too many requests|resource_exhausted/i.test(searched)) {
    return {
      ...usual('rate_limit', `${name} limits how many requests it takes and refused this one.`, true, 'Wait a moment and try again.'),
      ...rateLimit(evidence)
    }
  }
  if (status === 404 || /model_not_found|not_found_error/i.test(evidence.code) ||
    /model\b.{0,80}\b(?:does not exist|not found)/i.test(evidence.text)) {
    return modelId === undefined
      ? result('model_not_found', `${name} does not know this model.`, false, 'Choose another model.')
      : usual('model_not_found', `${name} does not know the model ${modelId}.`, false, 'Choose another model.', modelId)
  }
  if (evidence.network) {
    return usual(
      'no_response', `${name} did not answer, or broke off in the middle of its answer.`, true,
      'Check that it is running and can be reached, then try again.'
    )
  }
  if ((status !== undefined && status >= 500) || /overloaded|server_error|api_error|internal/i.test(evidence.code) ||
    (status === undefined && overloaded.test(evidence.text))) {
    return result(
      'error', `${name} has a problem of its own${status === undefined ? '' : ` (status ${status})`}.`, true, 'Try again in a moment.'
    )
  }
  if (status !== undefined && status >= 300 && status < 400) return result('error', leadsElsewhere(name, status), false)
  if (status === 408 || status === 409) return result('no_response', `${name} did not answer in time.`, true)
  return result('error', restMessage(name, evidence, provider?.apiKey), evidence.retryable ?? false)
}

/** The turn itself waits for a shorter limit. */
export const shortLimitMs = 60_000

/** Returns when requests are accepted again, according to a refusal. */
function rateLimit ({ retryAfterMs, resetsMs }: Evidence): Pick<ModelFailure, 'retryAfterMs' | 'limit'> {
  const waitMs = retryAfterMs ?? resetsMs
  if (waitMs === undefined) return { limit: { waitMs: null } }
  return { retryAfterMs: waitMs, ...(waitMs <= shortLimitMs ? {} : { limit: { waitMs: believed(waitMs) ?? null } }) }
}

/**
 * Returns the limit of a quota that is used up. Spent money does not come back by itself: a quota counts as a limit that passes only if the
 * answer names a plausible time, or an allowance that renews itself.
 */
function quotaLimit ({ text, retryAfterMs, resetsMs }: Evidence): Pick<ModelFailure, 'limit'> {
  const waitMs = believed(retryAfterMs) ?? resetsMs
  if (waitMs === undefined && !saysUsedUp(text)) return {}
  return { limit: { waitMs: waitMs ?? null } }
}

const asFailure = ({ problem, message, hint, retryable }: Unreached): ModelFailure => (
  { type: problem === 'wrong_address' || problem === 'tls' || problem === 'proxy' ? 'error' : 'no_response', message, hint, retryable, contextOverflow: false })

/** Whether a web page answered with success, or where the API should be. A proxy's page for a temporary failure does not count. */
function isAnsweredByPage ({ statusCode = 0, responseBody }: APICallError): boolean {
  return (statusCode === 404 || statusCode === 405 || (statusCode >= 200 && statusCode < 300)) && isWebPage(responseBody)
}

/** Returns the words for a redirect that is not followed, because another server would get the key. */
export function leadsElsewhere (name: string, status: number): string {
  return `${name}'s address leads to another server (status ${status}). If that is the right one, set it as the base URL.`
}

/** Returns the words for an address that leads to metadata. A name may lead there after it was checked. */
export function leadsToMetadata (name: string): string {
  return `${name}'s address leads to a link-local or metadata address, which is not asked.`
}

/** Finds an error of a kind among an error's causes, because clients wrap it in their own. */
function within<E extends Error> (error: unknown, kind: new (...args: never[]) => E): E | null {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth++) {
    if (inner instanceof kind) return inner
  }
  return null
}

/** Returns the failure for an answer that is too large. It is not retried: the same request would bring the same answer. */
function withoutEnd (name: string, { limit, message }: AnswerTooLarge): ModelFailure {
  return {
    type: 'answer_too_large',
    message: `${name} sent an answer without end: ${message}.`,
    hint: 'What was received up to there is kept. Ask for less at once, or choose another model.',
    retryable: false,
    contextOverflow: false,
    terminalState: `${limit}_limit_reached`
  }
}

function restMessage (name: string, { status, text }: Evidence, apiKey: string | null | undefined): string {
  const reason = withoutSecrets(text, apiKey)
  if (status === undefined && reason === '') return `${name} sent an invalid answer.`
  const what = status === undefined ? `The request to ${name} failed` : `${name} refused the request (status ${status})`
  return `${what}${reason === '' ? '.' : `: ${reason}`}`
}

const longestReason = 300

/** Returns the first line of a provider's message, short, without anything that looks like a key, an address or a path. */
export function withoutSecrets (text: string, apiKey?: string | null): string {
  const line = (apiKey == null || apiKey === '' ? text : text.replaceAll(apiKey, '…')).split('\n', 1).join('').trim()
  const clean = redact(line)
    .replace(/\b(?:bearer|basic)\s+\S+/gi, '…')
    .replace(/\b(?:sk|pk|rk|key|gsk|xai|hf|ghp|AIza)[-_]?[\w*-]{8,}/g, '…')
    .replace(/\bhttps?:\/\/\S+/gi, '…')
    .replace(/(^|[\s('"`])(?:file:\/\/|[A-Za-z]:\\|\/)[^\s'"`)]*[/\\][^\s'"`)]*/g, '$1…')
  return clean.length <= longestReason ? clean : `${clean.slice(0, longestReason - 1)}…`
}

function evidenceOf (error: unknown): Evidence {
  if (APICallError.isInstance(error)) {
    const body = errorBody(error.responseBody)
    // A success status with a retryable failure means that the answer broke off.
    const network = error.statusCode === undefined || (error.statusCode < 300 && error.isRetryable)
    const nowMs = Date.now()
    const retryAfterMs = retryAfter(error.responseHeaders, nowMs)
    const isLimit = error.statusCode === 429
    const resetsMs = (isLimit ? limitResets(error.responseHeaders, nowMs) : undefined) ?? retryInfo(parseJson(error.responseBody ?? '')) ??
      limitWords(body.text, { nowMs })
    return {
      code: body.code,
      text: body.text !== '' || network ? body.text : error.message.slice(0, readChars),
      // A success status here means that the body was not what the client expected.
      ...(error.statusCode !== undefined && error.statusCode >= 300 && { status: error.statusCode }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(resetsMs !== undefined && { resetsMs }),
      retryable: error.isRetryable,
      network
    }
  }
  if (error instanceof Error) {
    const { code, cause } = fieldsOf(error)
    const causeCode = fieldsOf(cause).code
    const codes = `${String(code ?? '')} ${String(causeCode ?? '')} ${error.name}`
    const network = networkCodes.test(codes) || silence.test(error.name) || networkWords.test(error.message) || cutWords.test(error.message)
    return {
      code: typeof code === 'string' ? code : '', text: isInternal(error) ? '' : error.message.slice(0, readChars),
      retryable: garbled.test(error.name), network
    }
  }
  const body = errorBody(error)
  const network = cutWords.test(body.text)
  const resetsMs = limitWords(body.text, { nowMs: Date.now() })
  return { ...body, network, ...(resetsMs !== undefined && { resetsMs }) }
}

/**
 * Whether an error's message must not be shown: parse and validation errors of the client quote the whole answer, and programming errors do
 * not help a person.
 */
function isInternal (error: Error): boolean {
  return error.name.startsWith('AI_') || error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError
}

/** Returns the code and text of an error body: `{error: {message, type, code, status}}`, the inner object, or plain text. */
function errorBody (body: unknown, depth = 0): { status?: number, code: string, text: string } {
  if (depth > 5) return { code: '', text: '' }
  if (typeof body === 'string') {
    return tried(() => errorBody(JSON.parse(body), depth + 1), { code: '', text: /^\s*</.test(body) ? '' : body.slice(0, readChars) })
  }
  if (Array.isArray(body)) return errorBody(body[0], depth + 1)
  if (typeof body !== 'object' || body === null) return { code: '', text: '' }
  const { error, message, type, code, status } = fieldsOf(body)
  if (typeof error === 'object' && error !== null) return errorBody(error, depth + 1)
  const numeric = [code, status].find((value): value is number => typeof value === 'number' && value >= 400 && value < 600)
  return {
    code: [code, type, status].filter((value) => typeof value === 'string').join(' ').slice(0, readChars),
    text: (typeof message === 'string' ? message : typeof error === 'string' ? error : '').slice(0, readChars),
    ...(numeric !== undefined && { status: numeric })
  }
}
