import { type AgentRuntime } from '../../agent/index.js'
import { NotFound } from '../../ground/errors.js'
import { type Profiles } from '../profiles/index.js'
import { type LiveRun } from '../prompts/index.js'

export interface GrantsOptions {
  profiles: Pick<Profiles, 'settings' | 'configure'>
  agent: Pick<AgentRuntime, 'control'>
  /** Removes a key from what was allowed in conversations of a profile, and returns that profile's running runs. */
  takeFromSessions: (profile: string, patternKey: string) => Promise<LiveRun[]>
}

/**
 * What the agent may always do without asking: `approvals.allow` of a profile's config.yaml. The file decides, even if it was edited by
 * hand.
 */
export class Grants {
  constructor (readonly options: GrantsOptions) {}

  /** Returns the keys in the order of the file. Throws NotFound for an unknown profile. */
  list (profile: string): string[] {
    return [...new Set([this.options.profiles.settings(profile).config.approvals?.allow ?? []].flat())]
  }

  /**
   * Revokes a permission in the file, in every conversation that has it, and in running turns: from now on it is asked for. Throws NotFound
   * if it does not exist, and Conflict if the file is broken.
   */
  async revoke (profile: string, patternKey: string): Promise<string[]> {
    const { profiles, agent, takeFromSessions } = this.options
    if (!this.list(profile).includes(patternKey)) throw new NotFound('Rule not found')
    await profiles.configure(profile, (config) => config.removeFromList(['approvals', 'allow'], [patternKey]))
    const live = await takeFromSessions(profile, patternKey)
    // A run that can no longer be told is over, or is told with the next answer that it asks for.
    await Promise.allSettled(live.map(({ profile, runId }) => agent.control(profile, { op: 'revoke', runId, patternKeys: [patternKey] })))
    return this.list(profile)
  }
}
