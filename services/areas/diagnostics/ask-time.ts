import { guardedFetch, type ProviderEntry } from '../../providers/index.js'
import { type AskTime } from './checks/clock.js'

const publicAddresses: Partial<Record<ProviderEntry['kind'], string>> = {
  openai: 'https://api.openai.com',
  anthropic: 'https://api.anthropic.com',
  google: 'https://generativelanguage.googleapis.com',
  openrouter: 'https://openrouter.ai'
}

/** Reads the time from the `Date` header of the first provider on the internet. No key is sent, and no model is asked. */
export function askTimeOf (providers: () => Promise<readonly ProviderEntry[]>): AskTime {
  return async (signal) => {
    const remote = (await providers()).filter(({ isSelfHosted }) => !isSelfHosted)
    const [address] = remote.flatMap(({ kind, baseUrl }) => baseUrl ?? publicAddresses[kind] ?? [])
    if (address === undefined) return null
    const sentMs = Date.now()
    const { headers } = await guardedFetch(new URL('/', address), { method: 'HEAD', redirect: 'manual', signal })
    const theirsMs = Date.parse(headers.get('date') ?? '')
    // Half of the round trip is added: the time for which the answer was on its way.
    return Number.isNaN(theirsMs) ? null : theirsMs + (Date.now() - sentMs) / 2
  }
}
