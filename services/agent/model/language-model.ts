import {
  InvalidResponseDataError, type LanguageModelV4, type LanguageModelV4CallOptions, type SharedV4ProviderOptions
} from '@ai-sdk/provider'
import {
  catalogModelOf, findModel, fitEffort, limitedFetch, missingCredential, ProviderNotReady, withoutForeignRedirects, type CatalogModel,
  type Effort, type ProviderEntry
} from '../../providers/index.js'
import { type ModelRef } from '../protocol.js'
import { createCompatibleModel } from './compatible/compatible-model.js'

type Fetch = typeof globalThis.fetch

export interface LanguageModelOptions {
  fetch?: Fetch | undefined
  /** Only for the offline demo: replaces the pace of its entry. */
  demoWordsPerSecond?: number | undefined
}

/**
 * Returns the model that a reference names, ready to be called. Each provider's client is loaded on first use, so that an idle process
 * has none in memory. The caller does the retries: each call of the model is one request. Throws ProviderNotReady.
 */
export async function createLanguageModel (
  entry: ProviderEntry, ref: ModelRef, options: LanguageModelOptions = {}
): Promise<LanguageModelV4> {
  const problem = missingCredential(entry)
  if (problem !== null) throw new ProviderNotReady(problem)
  const model = withNamedSurprise(await load(entry, ref, options))
  const maxOutputTokens = maxOutputTokensFor(entry, ref)
  return maxOutputTokens === undefined ? model : withOutputLimit(model, maxOutputTokens)
}

async function load (entry: ProviderEntry, ref: ModelRef, options: LanguageModelOptions): Promise<LanguageModelV4> {
  const fetch = limitedFetch(options.fetch)
  // The placeholder keeps clients from looking for a key in this process's environment.
  const settings = {
    apiKey: entry.apiKey ?? 'none',
    ...(entry.baseUrl !== null && { baseURL: entry.baseUrl }),
    fetch
  }
  switch (entry.kind) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI({ ...settings, baseURL: 'https://api.openai.com/v1' }).responses(ref.id)
    }
    case 'openai-compatible': {
      return createCompatibleModel({
        baseUrl: entry.baseUrl ?? '',
        apiKey: entry.apiKey,
        modelId: ref.id,
        fetch: withoutForeignRedirects(options.fetch)
      })
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ baseURL: 'https://api.anthropic.com/v1', ...settings }).languageModel(ref.id)
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
      return createGoogleGenerativeAI({ baseURL: 'https://generativelanguage.googleapis.com/v1beta', ...settings }).languageModel(ref.id)
    }
    case 'openrouter': {
      const { createOpenRouter } = await import('@openrouter/ai-sdk-provider')
      return createOpenRouter({ ...settings, compatibility: 'strict' }).chat(ref.id)
    }
    case 'offline-demo': {
      const { createOfflineDemo } = await import('./offline-demo.js')
      return createOfflineDemo({ wordsPerSecond: options.demoWordsPerSecond ?? entry.wordsPerSecond })
    }
    case 'acp': throw new ProviderNotReady(`${entry.displayName} is an agent, and no model that could be asked for this.`)
  }
}

/** Anthropic requires a limit, and its client assumes a small one for unknown models. */
function maxOutputTokensFor (entry: ProviderEntry, ref: ModelRef): number | undefined {
  return ref.maxOutputTokens ?? (entry.kind === 'anthropic' ? findModel('anthropic', ref.id)?.maxTokens : undefined)
}

function withOutputLimit (model: LanguageModelV4, limit: number): LanguageModelV4 {
  const limited = ({ maxOutputTokens = limit, ...options }: LanguageModelV4CallOptions) =>
    ({ ...options, maxOutputTokens: Math.min(maxOutputTokens, limit) })
  return {
    ...headOf(model),
    doGenerate: async (options) => await model.doGenerate(limited(options)),
    doStream: async (options) => await model.doStream(limited(options))
  }
}

/**
 * Turns a bare Error into an InvalidResponseDataError. A client may throw one for a response that does not begin like an answer, while
 * failures of the connection and refusals have names or codes.
 */
function withNamedSurprise (model: LanguageModelV4): LanguageModelV4 {
  const named = async <Result>(result: PromiseLike<Result>): Promise<Result> => {
    try {
      return await result
    } catch (error) {
      if (!isBare(error)) throw error
      throw new InvalidResponseDataError({ data: undefined, message: error.message })
    }
  }
  return {
    ...headOf(model),
    doGenerate: async (options) => await named(model.doGenerate(options)),
    doStream: async (options) => await named(model.doStream(options))
  }
}

function isBare (error: unknown): error is Error {
  return error instanceof Error && Object.getPrototypeOf(error) === Error.prototype && error.name === 'Error' &&
    error.cause === undefined && !('code' in error)
}

const headOf = ({
  specificationVersion, provider, modelId, supportedUrls
}: LanguageModelV4) => ({ specificationVersion, provider, modelId, supportedUrls })

/**
 * Returns the call options that are specific to a provider: reasoning effort, and options that keep a conversation's reasoning and prompt
 * cache usable without storing it at the provider. A model that is not known to reason gets no effort.
 */
export function providerOptionsFor (entry: ProviderEntry, ref: ModelRef): SharedV4ProviderOptions {
  const model = catalogModelOf(entry, ref.id)
  const effort = ref.effort === undefined || model === undefined ? undefined : fitEffort(ref.effort, model.efforts)
  switch (entry.kind) {
    case 'openai':
      // The client decides by the model's name, and omits the effort for names that it does not know.
      return {
        openai: {
          store: false, include: ['reasoning.encrypted_content'],
          ...(effort !== undefined && { forceReasoning: true, reasoningEffort: effort })
        }
      }
    case 'openai-compatible':
      return effort === undefined ? {} : { openaiCompatible: { reasoningEffort: effort } }
    case 'anthropic':
      return {
        anthropic: {
          // Other servers with this API may refuse the field.
          ...(entry.baseUrl === null && { cacheControl: { type: 'ephemeral' } }),
          ...(model !== undefined && effort !== undefined && anthropicThinking(effort, model))
        }
      }
    case 'google':
      return effort === undefined ? {} : { google: { thinkingConfig: googleThinking(effort, ref.id) } }
    case 'openrouter':
      return { openrouter: { usage: { include: true }, ...(effort !== undefined && { reasoning: { effort } }) } }
    case 'offline-demo':
    case 'acp':
      return {}
  }
}

const thinkingBudgets: Record<Exclude<Effort, 'none'>, number> = {
  minimal: 1024, low: 4096, medium: 8192, high: 16_384, xhigh: 32_768, max: 49_152
}

function anthropicThinking (effort: Effort, model: CatalogModel) {
  if (effort === 'none') return { thinking: { type: 'disabled' } }
  if (!model.adaptiveThinking) return { thinking: { type: 'enabled', budgetTokens: thinkingBudgets[effort] } }
  return { thinking: { type: 'adaptive', display: 'summarized' }, effort: effort === 'minimal' ? 'low' : effort }
}

/** Gemini 2.5 takes a budget in tokens, later models take a level. */
function googleThinking (effort: Effort, modelId: string) {
  if (/gemini-2\.5/.test(modelId)) {
    const isPro = /pro|computer-use/.test(modelId)
    const ceiling = isPro ? 32_768 : 24_576
    // Thinking cannot be switched off in the larger models; this is the smallest budget that they accept.
    return effort === 'none'
      ? { thinkingBudget: isPro ? 128 : 0 }
      : { thinkingBudget: Math.min(thinkingBudgets[effort], ceiling), includeThoughts: true }
  }
  if (effort === 'none') return { thinkingLevel: 'minimal' }
  return { thinkingLevel: effort === 'xhigh' || effort === 'max' ? 'high' : effort, includeThoughts: true }
}
