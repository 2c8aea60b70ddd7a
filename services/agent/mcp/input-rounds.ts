import { setTimeout } from 'node:timers/promises'
import { fieldsOf } from '../../ground/fields.js'
import { ToolError } from '../tools/containment.js'
import { type InputRequest } from './questions.js'

/** Answers a question that is part of a result. In versions of 2026 and later a server has no other way to ask. */
export type AnswerInput = (asked: InputRequest, signal: AbortSignal) => Promise<Record<string, unknown>>

/** How often a server may ask for something during one request, and for how many things at once. */
const mostRounds = 10
export const mostQuestions = 10
const againMs = 500

/** Returns the answers to a server's questions, by its keys. Throws ToolError if it asks too many at once. */
export async function answersTo (
  requests: Array<[string, unknown]>, answer: AnswerInput, signal: AbortSignal
): Promise<Record<string, unknown>> {
  if (requests.length > mostQuestions) throw new ToolError(`It asked for ${requests.length} things at once, and the call was given up.`)
  const answers: Array<[string, unknown]> = []
  for (const [key, request] of requests) {
    const { method, params } = fieldsOf(request)
    answers.push([key, await answer({ method: String(method), params }, signal)])
  }
  return Object.fromEntries(answers)
}

/** Throws ToolError if a server has asked too often. */
export function assertRound (round: number): void {
  if (round > mostRounds) throw new ToolError(`It asked for something ${mostRounds} times before it would go on, and the call was given up.`)
}

/** Sends a request, and sends it again with answers, until the server needs no more. Throws ToolError. */
export async function answering<P extends object, T> (
  params: P, signal: AbortSignal, answer: AnswerInput, send: (params: P) => Promise<T>
): Promise<T> {
  let asked = params
  for (let round = 1; ; round++) {
    const result = await send(asked)
    const { resultType, inputRequests, requestState } = fieldsOf(result)
    if (resultType !== 'input_required') return result
    assertRound(round)
    const requests = Object.entries(fieldsOf(inputRequests))
    const inputResponses = await answersTo(requests, answer, signal)
    // The server asks for nothing but time.
    if (requests.length === 0) await setTimeout(againMs * round, undefined, { signal })
    asked = { ...params, ...(requests.length === 0 ? {} : { inputResponses }), ...(typeof requestState === 'string' ? { requestState } : {}) }
  }
}
