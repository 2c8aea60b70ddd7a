import { readProfileSettings, type ProfileSettings } from '../../ground/home/settings.js'
import { type ResolvedModel } from '../engines/model-calls.js'
import { type ModelRef } from '../protocol.js'
import { createLanguageModel, providerOptionsFor } from '../model/language-model.js'
import { createSlots } from '../../ground/concurrency/slots.js'
import { addressOf, callSettingsFor, fetchWithExtras, guardedFetch, ProviderNotReady, requestedProvider } from '../../providers/index.js'
import { untilAborted } from '../../ground/concurrency/until-aborted.js'

/** Opens each model once; many turns share it. */
const keptModels = 32

/** Finds the provider a run names in the profile's settings (read again when the files change) and opens its model. */
export function createModelResolver ({
  profileHome, env, demoWordsPerSecond
}: { profileHome: string, env: Record<string, string>, demoWordsPerSecond?: number }) {
  const opened = new Map<string, Promise<ResolvedModel>>()
  /** By the limit of simultaneous calls. */
  const lanes = new Map<number, ReturnType<typeof createSlots>>()

  return async (ref: ModelRef): Promise<ResolvedModel> => {
    const settings = readProfileSettings(profileHome, env)
    const key = JSON.stringify([settings.version, ref])
    const known = opened.get(key)
    if (known !== undefined) return await known
    if (opened.size >= keptModels) opened.clear()
    const model = open(ref, settings)
    opened.set(key, model)
    model.catch(() => opened.delete(key))
    return await model
  }

  async function open (ref: ModelRef, settings: ProfileSettings): Promise<ResolvedModel> {
    const { env, envFileKeys, config } = settings
    const entry = requestedProvider({ env, envFileKeys, config, local: [] }, ref)
    if (entry === undefined) throw new ProviderNotReady(`The provider "${ref.provider}" is not configured in this profile any more.`)
    const { origin, timeoutMs, maxConcurrency, ...along } = callSettingsFor(config, ref)
    const { fetch, host } = noting(fetchWithExtras(guardedFetch, along))
    return {
      model: await createLanguageModel(entry, ref, { demoWordsPerSecond, fetch }),
      host,
      providerName: entry.displayName,
      providerOptions: providerOptionsFor(entry, ref),
      estimatesUsage: entry.kind === 'offline-demo',
      isLocal: entry.isSelfHosted,
      // Other providers accept a format only without tools, or as a tool that has to be called.
      ...(['openai', 'openai-compatible', 'openrouter'].includes(entry.kind) && { takesFormats: true as const }),
      ...(timeoutMs !== null && { timeoutMs }),
      ...(origin !== null && maxConcurrency !== null &&
        { enter: async (signal: AbortSignal) => await enter(maxConcurrency, `${origin} ${ref.provider} ${ref.id}`, signal) })
    }
  }

  /** Waits for a place among the calls of a model. Resolves with the function that gives the place back. */
  async function enter (most: number, key: string, signal: AbortSignal): Promise<() => void> {
    const lane = lanes.get(most) ?? createSlots(most)
    lanes.set(most, lane)
    const slot = lane.take(key)
    try {
      await untilAborted(slot.free, signal)
    } catch (error) {
      slot.leave()
      throw error
    }
    return () => slot.leave()
  }
}

/** Remembers which server was asked last: only the host of its address, because the rest may contain a key. */
function noting (fetch: typeof globalThis.fetch): { fetch: typeof globalThis.fetch, host: () => string | null } {
  let host: string | null = null
  return {
    host: () => host,
    fetch: async (input, init) => {
      host = addressOf(input).hostname
      return await fetch(input, init)
    }
  }
}
