import { type DiagnosticsCode } from '../../../../schemas/diagnostics.js'
import { DomainError } from '../../../ground/errors.js'
import { type ListedProvider, type ProviderTestResult } from '../../models/index.js'
import { type Check, type Finding, coded, ok, problem, skipped, warning } from '../check.js'

export interface ProvidersOptions {
  list: () => Promise<ListedProvider[]>
  /** Asks a provider for its list of models, and in a thorough check, one of the models for a word. */
  test: (provider: string) => Promise<ProviderTestResult>
}

type Problem = NonNullable<ProviderTestResult['problem']>

const fixes: Partial<Record<Problem, string>> = {
  not_set_up: 'Enter its key under Models.',
  invalid_key: 'Enter a valid key under Models, or in the .env of the profile.',
  no_quota: 'Add credit at the provider, or choose another model.',
  rate_limited: 'Wait, or raise the limit at the provider.',
  unknown_model: 'Choose another model under Models.',
  tls: 'Check the address, and the certificate of its server.',
  name_not_found: 'Check the address, and the name resolution of this machine.',
  refused: 'Start the server, or correct its address under Models.',
  proxy: 'Correct the proxy in outgoing.proxy of config.yaml or in HTTPS_PROXY, or have its owner permit the provider.',
  wrong_address: 'Correct its address under Models.'
}
/** Problems whose sentence names nothing but the provider. */
const codes: Partial<Record<Problem, DiagnosticsCode>> = {
  invalid_key: 'provider_invalid_key', no_quota: 'provider_no_quota', rate_limited: 'provider_rate_limited',
  timed_out: 'provider_timed_out', no_answer: 'provider_no_answer'
}

/** Problems that may pass in a moment, and that this service cannot fix. */
const passing = new Set<Problem>(['rate_limited', 'timed_out', 'no_answer', 'provider_failed'])

/** Whether each provider that is set up answers and accepts its key. */
export function providersCheck ({ list, test }: ProvidersOptions): Check {
  return {
    id: 'providers',
    group: 'models',
    title: 'Model providers',
    limitMs: 45_000,
    async run () {
      const all = await list()
      const providers = all.filter(({ entry }) => entry !== null && entry.kind !== 'acp' && entry.kind !== 'offline-demo')
      if (providers.length === 0) {
        const isAgentReady = all.some(({ entry, problem: known }) => entry?.kind === 'acp' && (entry.agent?.problem ?? known) === null)
        if (isAgentReady) return coded(ok('No model provider is set up; other agents answer.'), 'provider_agents')
        return warning(
          'No model provider is set up, so the offline demo answers.',
          'Enter the key of a provider, or the address of a model server, under Models.', 'provider_missing'
        )
      }
      return await Promise.all(providers.map(async ({ id, displayName }) => {
        const finding = await test(id).then(findingOf, refused)
        return { ...finding, about: displayName }
      }))
    }
  }
}

function findingOf ({ problem: kind, message }: ProviderTestResult): Finding {
  if (kind === null) return coded(ok(message), 'provider_answers')
  const fix = fixes[kind] ?? 'Check again in a few minutes, and the status page of the provider.'
  return passing.has(kind) ? warning(message, fix, codes[kind]) : problem(message, fix, codes[kind])
}

/** A test that a budget or the provider's own rules forbid. */
function refused (error: unknown): Finding {
  if (error instanceof DomainError) return skipped(`It was not asked: ${error.message}.`)
  throw error
}
