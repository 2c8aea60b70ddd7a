import { Invalid } from '../../ground/errors.js'
import { type Clock, monotonicMs } from '../../ground/time/clock.js'
import { type AgentRuntime } from '../../agent/index.js'
import { isKeyOf } from '../../ground/one-of.js'
import { type Budgets } from '../budgets/index.js'
import {
  agentPresets, checkProvider, keyedProviders, ownModel, signInOnly, type ProviderProblem
} from '../../providers/index.js'
import { reachedAddressOf } from './advanced-settings.js'
import { type ModelCatalog } from './catalog.js'
import { type ModelChooser } from './chooser.js'
import { keyOf } from './provider-keys.js'

export interface ProviderTest {
  provider: string
  /** The model that is asked for a word; null = the default one, if the provider is the active one. */
  model: string | null
  /** Replaces the configured key. */
  apiKey: string | null
  baseUrl: string | null
  /** Whether only the list is fetched, so that no model is asked and nothing is spent. */
  listOnly?: boolean
}

export interface ProviderTestResult {
  provider: string
  /** Null: no problem. */
  problem: ProviderProblem | null
  message: string
  models: number
  /** The model that was asked for a word; null when only the list was fetched. */
  model: string | null
  tookMs: number
}

export interface ProviderTestsOptions {
  catalog: Pick<ModelCatalog, 'candidate' | 'describe'>
  chooser: Pick<ModelChooser, 'choose'>
  agent: Pick<AgentRuntime, 'smallTask'>
  budgets: Pick<Budgets, 'assertLeft' | 'counting'>
  clock: Clock
  /** How the programs of a profile are to be confined. */
  sandbox: { rule: (profile: string) => 'auto' | 'off' }
  fetch?: typeof globalThis.fetch
}

const listMs = 10_000
const wordMs = 30_000
/** Some agents download what they need when they are first started. */
const agentMs = 90_000
const problemOf: Record<string, ProviderProblem> = {
  auth_mismatch: 'invalid_key', quota_exhausted: 'no_quota', rate_limit: 'rate_limited', model_not_found: 'unknown_model',
  no_response: 'no_answer'
}

/** Tests whether a provider is usable as it is set up, or as it is about to be. */
export class ProviderTests {
  constructor (readonly options: ProviderTestsOptions) {}

  /**
   * Fetches the provider's list, and asks one of its models for a word. With a key or address that is not stored yet only the list is
   * fetched. Throws Invalid for an unknown provider, for an invalid key or address, and for an address of another server than the stored
   * key is for. Throws Conflict when a budget is used up and the list is fine: the word would cost something.
   */
  async run (profile: string, { provider, model, apiKey, baseUrl, listOnly = false }: ProviderTest): Promise<ProviderTestResult> {
    const { catalog, clock, fetch } = this.options
    const before = (await catalog.candidate(profile, provider, { apiKey: null, baseUrl: null }))?.baseUrl
    const address = baseUrl === null ? null : await reachedAddressOf(baseUrl, before)
    const agent = apiKey === null && baseUrl === null ? await this.#agent(profile, provider) : null
    if (agent !== null) return agent
    const signIn = signInOnly(provider)
    if (signIn !== null && before == null) {
      throw new Invalid(`provider: ${signIn}`)
    }
    const entry = await catalog.candidate(profile, provider, { apiKey: apiKey === null ? null : keyOf(apiKey), baseUrl: address })
    if (entry === undefined) {
      const known = keyedProviders.find(({ id }) => id === provider)
      if (known === undefined) throw new Invalid(`provider: there is no provider "${provider.slice(0, 80)}"`)
      return {
        provider: known.id, problem: 'not_set_up', message: `${known.displayName} has no API key yet.`, models: 0, model: null, tookMs: 0
      }
    }
    const startedMs = monotonicMs(clock)
    const { models, ...list } = await checkProvider(entry, { timeoutMs: listMs, ...(fetch !== undefined && { fetch }) })
    const asksWord = apiKey === null && baseUrl === null && !listOnly
    const word = list.problem === null && asksWord ? await this.#word(profile, entry.id, model, models.map(({ id }) => id)) : null
    return {
      provider: entry.id, ...list, ...word, models: models.length, model: word?.model ?? null,
      tookMs: Math.round(monotonicMs(clock) - startedMs)
    }
  }

  /** Starts an external agent and asks for its models, without using any of them; null if the provider is not an agent. */
  async #agent (profile: string, provider: string): Promise<ProviderTestResult | null> {
    const { agent, catalog, clock, sandbox } = this.options
    const entry = await catalog.candidate(profile, provider, { apiKey: null, baseUrl: null })
    const preset = entry === undefined && isKeyOf(agentPresets, provider) ? agentPresets[provider] : undefined
    if (preset !== undefined) {
      return {
        provider, problem: 'not_set_up', message: `${preset.displayName} is not installed. ${preset.install}`, models: 0, model: null,
        tookMs: 0
      }
    }
    if (entry?.agent === undefined) return null
    const startedMs = monotonicMs(clock)
    const { problem } = entry.agent
    const found = problem !== null
      ? { ok: false as const, type: 'missing', message: problem }
      : await agent.smallTask({ profile, machine: undefined }, {
        task: 'probe', model: { provider: entry.id, id: ownModel, isAgent: true }, input: { sandbox: sandbox.rule(profile) }
      }, agentMs)
    const tookMs = Math.round(monotonicMs(clock) - startedMs)
    const models = (await catalog.candidate(profile, provider, { apiKey: null, baseUrl: null }))?.agent?.models.length ?? 0
    const told = { provider: entry.id, models, model: null, tookMs }
    if (found === null) return { ...told, problem: 'timed_out', message: `${entry.displayName} did not answer in time.` }
    if (found.ok) return { ...told, problem: null, message: found.message ?? `${entry.displayName} answers.` }
    return {
      ...told, problem: found.type === 'missing' ? 'not_set_up' : problemOf[found.type] ?? 'provider_failed', message: found.message
    }
  }

  async #word (
    profile: string, provider: string, wanted: string | null, listed: string[]
  ): Promise<{ model: string, problem?: ProviderProblem, message?: string } | null> {
    const { agent, budgets, catalog, chooser } = this.options
    const model = wanted ?? (await catalog.describe(profile, { provider }))?.model.id ?? listed[0]
    if (model === undefined) return null
    const choice = await chooser.choose(profile, { model, provider })
    if ('error' in choice) return { model, problem: 'unknown_model', message: choice.error }
    budgets.assertLeft({ profile })
    const task = { task: 'probe', model: choice.ref, input: null } as const
    const result = await agent.smallTask({ profile, machine: undefined }, task, wordMs, budgets.counting('probe', { profile }, choice))
    if (result === null) return { model, problem: 'timed_out', message: `${choice.label} did not answer in time.` }
    return result.ok
      ? { model, message: `${choice.label} answers.` }
      : { model, problem: problemOf[result.type] ?? 'provider_failed', message: result.message }
  }
}
