import { type AgentRuntime } from '../../agent/index.js'
import { NotFound } from '../../ground/errors.js'
import { type Profiles } from '../profiles/index.js'
import { type LiveRun } from '../prompts/index.js'

export interface GrantsOptions {
  profiles: Pick<Profiles, 'settings' | 'configure'>
  agent: Pick<AgentRuntime, 'control'>
  /** Takes a key from what was allowed in conversations of a profile, and tells which runs of it are under way. */
  takeFromSessions: (profile: string, patternKey: string) => Promise<LiveRun[]>
}

/**
 * What the agent may do for good, without asking: `approvals.allow` of a profile's config.yaml. The file is what
 * counts, also when it is written by hand.
 */
export class Grants {
  constructor (readonly options: GrantsOptions) {}

  /** In the order of the file. Throws NotFound for an unknown profile. */
  list (profile: string): string[] {
    return [...new Set([this.options.profiles.settings(profile).config.approvals?.allow ?? []].flat())]
  }

  /**
   * Takes one back, in the file, in every conversation that it was kept for, and in turns that are under way: what asks from now on asks.
   * Throws NotFound for one that is not there, and Conflict when the file is broken.
   */
  async revoke (profile: string, patternKey: string): Promise<string[]> {
    const { profiles, agent, takeFromSessions } = this.options
    if (!this.list(profile).includes(patternKey)) throw new NotFound('Rule not found')
    await profiles.configure(profile, (config) => config.removeFromList(['approvals', 'allow'], [patternKey]))
    const live = await takeFromSessions(profile, patternKey)
    // A run that cannot be told any more is over, or is told with the next answer it asks for.
    await Promise.allSettled(live.map(({ profile, runId }) => agent.control(profile, { op: 'revoke', runId, patternKeys: [patternKey] })))
    return this.list(profile)
  }
}
