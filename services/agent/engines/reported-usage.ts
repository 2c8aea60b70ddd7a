import { type LanguageModelV4Usage } from '@ai-sdk/provider'
import { fieldsOf } from '../../ground/fields.js'
import { type StepUsage } from '../protocol.js'

/** More than any window holds. */
const mostTokens = 1_000_000_000

/** What a provider has counted of an answer, as far as that can be believed. */
export interface Reported { inputTokens?: number, outputTokens?: number, cacheReadTokens?: number, cacheWriteTokens?: number }

/** What the end of an answer says that it has used. */
export function reportedAtEnd ({ inputTokens, outputTokens }: LanguageModelV4Usage): Reported {
  return believed({
    inputTokens: inputTokens.total, outputTokens: outputTokens.total, cacheReadTokens: inputTokens.cacheRead,
    cacheWriteTokens: inputTokens.cacheWrite
  })
}

/**
 * What an event of a provider's stream says that was used by then; null where it says nothing. An answer that breaks off has
 * no end to tell that: of Anthropic's the beginning tells it, of Google's each event, of the others the one before the last.
 */
export function reportedIn (event: unknown): Reported | null {
  const { usage, message, response, usageMetadata } = fieldsOf(event)
  const google = fieldsOf(usageMetadata)
  if (usageMetadata !== undefined) {
    return believed({
      inputTokens: google['promptTokenCount'],
      outputTokens: google['candidatesTokenCount'] === undefined
        ? undefined
        : Number(google['candidatesTokenCount']) + Number(google['thoughtsTokenCount'] ?? 0),
      cacheReadTokens: google['cachedContentTokenCount']
    })
  }
  const counted = [usage, fieldsOf(message)['usage'], fieldsOf(response)['usage']].find((value) =>
    typeof value === 'object' && value !== null)
  return counted === undefined ? null : ofCounts(fieldsOf(counted))
}

/** What a later report adds to an earlier one. */
export const withLater = (before: Reported, later: Reported | null): Reported => later === null ? before : { ...before, ...later }

/** What an attempt has used by its provider's own count; null where that was not told. Nothing is estimated. */
export function asCounted ({ inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 }: Reported): StepUsage | null {
  return inputTokens + outputTokens === 0 ? null : { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, estimated: false }
}

/** OpenAI counts what comes from a cache in its input, Anthropic beside it. */
function ofCounts (counts: Record<string, unknown>): Reported {
  const { input_tokens: input, output_tokens: output, prompt_tokens: prompt, completion_tokens: completion } = counts
  const { cache_read_input_tokens: read, cache_creation_input_tokens: written } = counts
  const cached = fieldsOf(counts['prompt_tokens_details'] ?? counts['input_tokens_details'])['cached_tokens']
  const isBeside = input !== undefined && (read !== undefined || written !== undefined)
  return believed({
    inputTokens: isBeside ? Number(input) + Number(read ?? 0) + Number(written ?? 0) : input ?? prompt,
    outputTokens: output ?? completion,
    cacheReadTokens: read ?? cached,
    cacheWriteTokens: written
  })
}

/** What a server reports may be anything, and goes into sums that are kept. */
function believed (counts: { [Key in keyof Reported]: unknown }): Reported {
  return Object.fromEntries(Object.entries(counts).filter(([, tokens]) =>
    typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= mostTokens))
}
