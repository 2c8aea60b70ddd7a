// How much of a provider's answer is accepted. All limits are far beyond what a model really produces, and small enough that no answer can
// fill the memory, block the event loop or leave a row that cannot be opened again.

/** Limits for one model call, and for all calls of a turn together. Characters are UTF-16 units, as everywhere in this service. */
export const answerLimits = {
  /** About 260,000 tokens of English in one answer. */
  textChars: 1_048_576,
  reasoningChars: 1_048_576,
  /** Arguments of all tool calls of a step: the largest file that a model can write at once. */
  argumentChars: 1_048_576,
  /** Providers allow 128 at most. */
  toolCalls: 128,
  /** Some servers hide signatures in call ids. */
  callIdChars: 65_536,
  /** Providers allow 128 at most. */
  toolNameChars: 1_024,
  /** Paragraphs and thoughts that the provider keeps apart. A few are usual. */
  parts: 1_024,
  /** Data of a part besides its text: signatures, encrypted thoughts. */
  metadataChars: 1_048_576,
  /** Text, thoughts and arguments of all steps. */
  turnChars: 16 * 1_048_576,
  /** No tool here takes arguments that are nested deeper. */
  depth: 64
} as const

/** Limits for one answer of a provider's server, whatever its content. */
export const responseLimits = {
  /** One event of a stream, because it is parsed at once. The last event of some providers repeats the whole answer. */
  eventBytes: 4 * 1_048_576,
  /** A streamed answer. Each token comes with some hundred bytes of overhead. */
  streamBytes: 256 * 1_048_576,
  /** How much of a stream may come in succession without any content: keep-alives, empty pieces. */
  vainBytes: 16 * 1_048_576,
  /** An answer in one piece, or a list of models, because it is parsed at once. */
  bodyBytes: 4 * 1_048_576,
  /** How much of an error's body is read. */
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

/** Thrown if an answer exceeds one of the limits. The message is the end of a sentence about the answer. */
export class AnswerTooLarge extends Error {
  constructor (readonly limit: AnswerLimit) {
    super(words[limit])
    this.name = 'AnswerTooLarge'
  }
}

/** Whether a parsed JSON value is nested deeper than `depth`. Uses its own stack, because the depth is unknown beforehand. */
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
  // Formatted by hand, because the engine's own function would load its language tables at every start.
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
}
