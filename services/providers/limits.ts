// How much of a provider's answer is taken. Everything here is far beyond what a model says in earnest, and small enough
// that no answer can fill the memory, hold up the event loop or leave a row that nobody can open again.

/** Of one model call, and of all calls of a turn together. Characters are UTF-16 units, as everywhere in this service. */
export const answerLimits = {
  /** About 260,000 tokens of English in one go. */
  textChars: 1_048_576,
  reasoningChars: 1_048_576,
  /** Arguments of all tool calls of a step: the largest file that a model can write at once. */
  argumentChars: 1_048_576,
  /** Providers allow 128 at most. */
  toolCalls: 128,
  /** Some servers hide signatures in them. */
  callIdChars: 65_536,
  /** Providers allow 128 at most. */
  toolNameChars: 1_024,
  /** Paragraphs and thoughts that the provider keeps apart; a few are usual. */
  parts: 1_024,
  /** What belongs to a part beside its text: signatures, encrypted thoughts. */
  metadataChars: 1_048_576,
  /** Text, thoughts and arguments of all steps. */
  turnChars: 16 * 1_048_576,
  /** Arguments that are nested deeper are no call of any tool here. */
  depth: 64
} as const

/** Of one answer of a provider's server, whatever is in it. */
export const responseLimits = {
  /** One event of a stream: it is parsed in one go. The last one of some providers repeats the whole answer. */
  eventBytes: 4 * 1_048_576,
  /** A streamed answer: each token comes in a wrapping of some hundred bytes. */
  streamBytes: 256 * 1_048_576,
  /** What of it may come one after the other without a word of an answer in it: signs of life, empty pieces. */
  vainBytes: 16 * 1_048_576,
  /** An answer in one piece, and a list of models: parsed in one go. */
  bodyBytes: 4 * 1_048_576,
  /** What is read of a refusal. */
  errorBytes: 64 * 1_024
} as const

export type AnswerLimit = 'text' | 'reasoning' | 'arguments' | 'tool_calls' | 'parts' | 'turn' | 'response'

const words: Record<AnswerLimit, string> = {
  text: `its text is longer than ${count(answerLimits.textChars)} characters`,
  reasoning: `its thoughts are longer than ${count(answerLimits.reasoningChars)} characters`,
  arguments: `the arguments of its tool calls are longer than ${count(answerLimits.argumentChars)} characters`,
  tool_calls: `it makes more than ${count(answerLimits.toolCalls)} tool calls at once`,
  parts: `it comes in more than ${count(answerLimits.parts)} parts, or in parts that are too large`,
  turn: `all answers of the turn together are longer than ${count(answerLimits.turnChars)} characters`,
  response: 'more was sent than an answer can hold'
}

/** An answer has reached one of the limits. The message is the end of a sentence about it. */
export class AnswerTooLarge extends Error {
  constructor (readonly limit: AnswerLimit) {
    super(words[limit])
    this.name = 'AnswerTooLarge'
  }
}

/** The first `chars` of a text, without half a character at the end. */
export function beginningOf (text: string, chars: number): string {
  if (text.length <= chars) return text
  const isSplit = /[\uD800-\uDBFF]/.test(text.charAt(chars - 1))
  return text.slice(0, isSplit ? chars - 1 : chars)
}

/** Whether a value out of JSON is nested deeper than `depth`. Takes its own stack, as the depth is not known before. */
export function isDeeperThan (value: unknown, depth: number): boolean {
  const open: Array<{ value: unknown, level: number }> = [{ value, level: 1 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue
    if (next.level > depth) return true
    for (const inner of Object.values(next.value)) open.push({ value: inner, level: next.level + 1 })
  }
  return false
}

function count (number: number): string {
  // The engine's own way would load its tables of languages at every start.
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
}
