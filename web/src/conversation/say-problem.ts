import { readSentence, typedSentence } from '../core/turn/problem-sentence.js'
import { type Problem } from '../core/turn/turn.js'
import { screenWords } from '../words/index.js'

/**
 * Describes in the language of the app why a turn failed; null if only the service's own sentence, in English, says it. The type may be
 * unknown.
 */
export function sayProblem ({ type, message, about }: Pick<Problem, 'type' | 'message' | 'about'>): string | null {
  const { said } = screenWords.value.problems
  const read = type === null ? typedSentence(message) : readSentence({ type, message, about })
  if (read === null) return null
  return said === null ? message : said[read.type](read.provider, read.model)
}
