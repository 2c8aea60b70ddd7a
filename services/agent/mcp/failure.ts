import { basename } from 'node:path'
import { asError, codeOf } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'
import { unreachedBy, unreachedInWords } from '../../ground/network/unreached.js'
import { ToolError } from '../tools/containment.js'
import { oneLine } from '../tools/wording.js'
import { SignInNeeded } from './bearer.js'
import { type McpTarget } from './configuration.js'
import { Flooded } from './flood.js'

export const signInWords = 'It asks for a sign-in: somebody has to sign in there in a browser.'

/** Why a transport ended, as far as it knows: in words, and as a code for the log. */
export interface Refusal { why: string, code: string }

/** Why a server cannot be used: a sentence for a person, without paths, and a code for the log. */
export interface ServerFailure { why: string, code: string | null }

export interface FailedServer {
  target: McpTarget | null
  /** How long it had to answer. */
  limitMs: number
  /** Null if the transport knows nothing. */
  refusal: Refusal | null
}

export function failureOf (error: unknown, { target, limitMs, refusal }: FailedServer): ServerFailure {
  const { message } = asError(error)
  const code = codeOf(error)
  if (error instanceof ToolError) return { why: message, code: 'not_set_up' }
  if (error instanceof SignInNeeded) return { why: signInWords, code: 'sign_in_needed' }
  if (error instanceof Flooded) return { why: `${error.message}, and was stopped.`, code: 'flooded' }
  const program = target?.transport === 'stdio' ? basename(target.command) : ''
  if (code === 'ENOENT') return { why: `The program "${program}" or its folder was not found.`, code }
  if (code === 'EACCES') return { why: `The program "${program}" may not be run.`, code }
  if (refusal !== null) return refusal
  const answer = answered(error)
  if (answer !== null) return answer
  const unreached = unreachedBy(error)
  if (unreached?.cause === 'timed_out' || /timed out/i.test(message)) {
    return { why: `It did not answer within ${limitMs / 1_000} s.`, code: 'timeout' }
  }
  if (unreached !== null) {
    const { says, next } = unreachedInWords(unreached)
    return { why: `Its server ${says}. ${next}`, code: unreached.code }
  }
  if (message === 'fetch failed') return { why: 'It cannot be reached.', code: null }
  return { why: oneLine(message, 300), code: code !== undefined && /^\w{1,60}$/.test(code) ? code : null }
}

/** Returns the failure that an HTTP answer stands for; null if the error is of another kind. The answer's text is not repeated. */
function answered (error: unknown): ServerFailure | null {
  const { status, contentType } = fieldsOf(fieldsOf(error)['data'])
  if (typeof status === 'number') return refusalOf(status)
  if (codeOf(error) === 'CLIENT_HTTP_UNEXPECTED_CONTENT') {
    const isPage = /html/i.test(String(contentType))
    return {
      why: `Its address answers with ${isPage ? 'a web page' : 'something else'} instead of MCP. Check "url".`,
      code: isPage ? 'web_page' : 'not_mcp'
    }
  }
  return error instanceof SyntaxError ? { why: 'Its address answers with what is no JSON. Check "url".', code: 'not_mcp' } : null
}

/** Explains an HTTP status that is not a success. */
export function refusalOf (status: number): Refusal {
  const code = `http_${status}`
  if (status >= 300 && status < 400) {
    return { why: `Its address leads elsewhere (HTTP status ${status}), which is not followed. Set "url" to where it leads.`, code }
  }
  if (status === 401 || status === 403) {
    return { why: `The server does not take what "headers" holds for it (HTTP status ${status}). Check its key there.`, code }
  }
  if (status === 404 || status === 405) return { why: `Nothing answers at its address (HTTP status ${status}). Check "url".`, code }
  return { why: `The server answered with HTTP status ${status}. Look into its log, and try again.`, code }
}
