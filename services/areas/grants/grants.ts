import { isDeepStrictEqual } from 'node:util'
import { setTimeout as delay } from 'node:timers/promises'
import { type AgentRuntime } from '../../agent/index.js'
import { type ControlBody } from '../../agent/protocol.js'
import { NotFound } from '../../ground/errors.js'
import { type ConfigFile, type Profiles } from '../profiles/index.js'
import { type LiveRun } from '../prompts/index.js'

/** A running run, and the conversation whose permissions it has. */
export interface GrantedRun extends LiveRun { promptsIn: string }

export interface GrantsOptions {
  profiles: Pick<Profiles, 'settings' | 'configure'>
  agent: Pick<AgentRuntime, 'control'>
  /** Removes a key from what was allowed in conversations of a profile. */
  takeFromSessions: (profile: string, patternKey: string) => Promise<void>
  /** Returns what was allowed in a conversation. */
  sessionGrants: (sessionId: string) => readonly string[]
  liveRuns: (profile: string) => GrantedRun[]
  /** Called for a run of an older version, which cannot be told of new rules. */
  untold: (run: GrantedRun) => void
}

/** How often a run that could not be reached is told again: its machine may be away, or it may be starting. */
const againMs = 1_000
/** For how long a file may be empty or missing while a program writes it. */
const emptyMs = 500

/**
 * What the agent may always do without asking, and what it may never do: `approvals` of a profile's config.yaml. The file decides, even if
 * it was edited by hand.
 */
export class Grants {
  constructor (readonly options: GrantsOptions) {}

  /** Returns the allowed keys in the order of the file. Throws NotFound for an unknown profile. */
  list (profile: string): string[] {
    return [...new Set(rulesOf(this.options.profiles.settings(profile).config).allow)]
  }

  /**
   * Revokes a permission in the file, in every conversation that has it, and in running turns: from now on it is asked for. Throws NotFound
   * if it does not exist, and Conflict if the file is broken.
   */
  async revoke (profile: string, patternKey: string): Promise<string[]> {
    const { profiles, takeFromSessions } = this.options
    if (!this.list(profile).includes(patternKey)) throw new NotFound('Rule not found')
    await profiles.configure(profile, (config) => config.removeFromList(['approvals', 'allow'], [patternKey]))
    await takeFromSessions(profile, patternKey)
    await this.#withdraw(profile, [patternKey])
    return this.list(profile)
  }

  /** Called when config.yaml has changed: running turns obey it from their next call on. Never rejects. */
  async follow (profile: string, now: ConfigFile, before: ConfigFile): Promise<void> {
    const [{ allow, deny }, old] = [rulesOf(now), rulesOf(before)]
    // Some editors empty a file before they write it, and a withdrawn permission is not given back. The file is read again after this.
    if (Object.keys(now).length === 0) await delay(emptyMs, undefined, { ref: false })
    const gone = old.allow.filter((key) => !allow.includes(key))
    await Promise.all([
      isDeepStrictEqual(deny, old.deny) ? null : this.tellDenied(profile),
      gone.length === 0 ? null : this.#withdraw(profile, gone)
    ])
  }

  /** Tells the running turns of a profile what it denies. Never rejects. */
  async tellDenied (profile: string): Promise<void> {
    await this.#tell(profile, () => ({ op: 'deny', patterns: rulesOf(this.options.profiles.settings(profile).config).deny }))
  }

  /** Takes keys from the running turns of a profile, except what is allowed in the file again, or in their conversation. */
  async #withdraw (profile: string, keys: readonly string[]): Promise<void> {
    await this.#tell(profile, ({ promptsIn }) => {
      const kept = [...this.list(profile), ...this.options.sessionGrants(promptsIn)]
      return { op: 'revoke', patternKeys: keys.filter((key) => !kept.includes(key)) }
    })
  }

  /** Sends all running turns of a profile what `control` says at that time. Resolves after the first attempt. */
  async #tell (profile: string, control: (run: GrantedRun) => ControlBody): Promise<void> {
    await Promise.all(this.options.liveRuns(profile).map(async (run) => {
      if (!await this.#isTold(run, control)) void this.#tellLater(run, control)
    }))
  }

  async #tellLater (run: GrantedRun, control: (run: GrantedRun) => ControlBody): Promise<void> {
    do await delay(againMs, undefined, { ref: false })
    while (this.options.liveRuns(run.profile).some(({ runId }) => runId === run.runId) && !await this.#isTold(run, control))
  }

  async #isTold (run: GrantedRun, control: (run: GrantedRun) => ControlBody): Promise<boolean> {
    const { agent, untold } = this.options
    try {
      const { result } = await agent.control(run.profile, { ...control(run), runId: run.runId })
      if (result === 'unsupported') untold(run)
      return result === 'applied' || result === 'unsupported'
    } catch {
      return false
    }
  }
}

function rulesOf ({ approvals: { allow = [], deny = [] } = {} }: ConfigFile): { allow: string[], deny: string[] } {
  return { allow: [allow].flat(), deny: [deny].flat() }
}
