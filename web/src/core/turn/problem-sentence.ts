import { type Wire } from '../service/api.js'
import { type Problem } from './turn.js'

/** The usual sentences about a provider, by the type of the problem, for transcripts from before the service said whom they name. */
const sentences = {
  auth_mismatch: /^(?<provider>.+) refused the API key\.$/,
  quota_exhausted: /^The account at (?<provider>.+) has no quota left\.$/,
  rate_limit: /^(?<provider>.+) limits how many requests it takes and refused this one\.$/,
  model_not_found: /^(?<provider>.+) does not know the model (?<model>.+)\.$/,
  no_response: /^(?<provider>.+) did not answer, or broke off in the middle of its answer\.$/
} as const
export type SentenceType = keyof typeof sentences
interface Sentence { type: SentenceType, provider: string, model: string }

/**
 * Reads what a problem's sentence names, so that it can be said in another language; null for any other sentence, which is shown as it is:
 * it may quote the provider.
 */
export function readSentence ({ type, message, about }: Pick<Problem, 'type' | 'message' | 'about'>): Sentence | null {
  if (type === null || !isSentence(type)) return null
  if (about !== undefined) return { type, provider: about.provider, model: about.model ?? '' }
  const { provider, model = '' } = sentences[type].exec(message)?.groups ?? {}
  return provider === undefined ? null : { type, provider, model }
}

/** Reads a sentence that comes without its type, such as the error of a task. */
export function typedSentence (message: string): Sentence | null {
  for (const type of Object.keys(sentences) as SentenceType[]) {
    const read = readSentence({ type, message, about: undefined })
    if (read !== null) return read
  }
  return null
}

const isSentence = (type: string): type is SentenceType => Object.hasOwn(sentences, type)

/** Returns the failure that the last frame of a turn reports. */
export const problemIn = (data: Wire<'Failed'> | Wire<'LostFrame'>): Problem => 'type' in data
  ? { label: null, message: data.error, hint: data.hint ?? null, type: data.type, about: data.about }
  : { label: null, message: data.error, hint: null, type: null }
