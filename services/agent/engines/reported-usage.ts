import { type LanguageModelV4Usage } from '@ai-sdk/provider'
import { fieldsOf } from '../../ground/fields.js'
import { type StepUsage } from '../protocol.js'

/** More tokens than any context window holds. */
const mostTokens = 1_000_000_000

/** A provider's token counts for an answer, without those that are not credible. */
export interface Reported { inputTokens?: number, outputTokens?: number, cacheReadTokens?: number, cacheWriteTokens?: number }

/** Returns the usage that the end of an answer reports. */
export function reportedAtEnd ({ inputTokens, outputTokens }: LanguageModelV4Usage): Reported {
  return believed({
    inputTokens: inputTokens.total, outputTokens: outputTokens.total, cacheReadTokens: inputTokens.cacheRead,
    cacheWriteTokens: inputTokens.cacheWrite
  })
}

/**
 * Returns the usage so far that an event of a provider's stream reports; null if it reports none. An answer that breaks off has no
 * end that reports it: Anthropic reports it at the beginning, Google in each event, the others in the last event but one.
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

/** Returns an earlier report, updated with a later one. */
export const withLater = (before: Reported, later: Reported | null): Reported => later === null ? before : { ...before, ...later }

/** Returns an attempt's usage by its provider's own count; null if it was not reported. Nothing is estimated. */
export function asCounted ({ inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 }: Reported): StepUsage | null {
  return inputTokens + outputTokens === 0 ? null : { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, estimated: false }
}

/** Reads token counts. OpenAI's input count includes tokens from a cache, Anthropic's does not. */
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

/** Drops counts that are not credible: a server may report anything, and the counts go into totals that are stored. */
function believed (counts: { [Key in keyof Reported]: unknown }): Reported {
  return Object.fromEntries(Object.entries(counts).filter(([, tokens]) =>
    typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= mostTokens))
}
