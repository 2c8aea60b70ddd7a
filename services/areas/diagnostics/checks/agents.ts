import { type ListedProvider, type ProviderTestResult } from '../../models/index.js'
import { type Check, type Finding, coded, ok, skipped, warning } from '../check.js'

export interface AgentsOptions {
  list: () => Promise<ListedProvider[]>
  /** Starts an agent and asks what it offers; null: no agent is started. */
  test: ((provider: string) => Promise<ProviderTestResult>) | null
}

/** Agents of other makers: whether each is installed and permitted, and in a thorough check, whether it starts. */
export function agentsCheck ({ list, test }: AgentsOptions): Check {
  return {
    id: 'agents',
    group: 'agent',
    title: 'Other agents',
    limitMs: 100_000,
    async run () {
      const agents = (await list()).filter(({ entry }) => entry?.agent !== undefined)
      if (agents.length === 0) return coded(skipped('No other agent was found on this machine.'), 'agents_none')
      return await Promise.all(agents.map(async (agent) => ({ ...await judge(agent), about: agent.displayName })))
    }
  }

  async function judge ({ id, entry, displayName, problem }: ListedProvider): Promise<Finding> {
    const known = entry?.agent?.problem ?? problem
    if (known !== null) return warning(known, 'Settings → Permissions says what is missing; docs/agents.md has the commands.')
    if (test === null) return ok(`${displayName} is installed. A thorough check starts it.`)
    const { problem: failed, message } = await test(id)
    return failed === null ? ok(message) : warning(message, 'Start it once by hand as the user of the service, and sign in if it asks.')
  }
}
