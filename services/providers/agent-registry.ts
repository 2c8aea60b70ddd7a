import { readFileSync } from 'node:fs'
import { asset } from '../ground/assets.js'
import { onPath, type ConfiguredAgent } from './agents.js'
import { type AgentPresetId } from './agent-presets.js'

/** An agent of the public registry of the Agent Client Protocol, as in the snapshot. */
export interface RegisteredAgent {
  id: string
  /** Our preset for the same agent; null if there is none. */
  preset: AgentPresetId | null
  name: string
  description: string
  /** As in the registry: an SPDX identifier, or "proprietary". */
  licence: string
  page: string | null
  /** The version that `install` installs. */
  version: string
  /** The command line that installs it, on Linux. */
  install: string
  /** The program that the installation provides, with its arguments. */
  command: readonly [string, ...string[]]
}

let kept: { source: string, registry_date: string, date: string, agents: RegisteredAgent[] } | undefined

/** Returns all agents of the snapshot, which `scripts/build-agent-registry.js` makes. */
export const registeredAgents = (): readonly RegisteredAgent[] => snapshot().agents

/** Returns the days (YYYY-MM-DD) of the registry that the snapshot is of, and of the versions in it. */
export function registryDates (): { date: string, versions_date: string } {
  const { registry_date: date, date: versions } = snapshot()
  return { date, versions_date: versions }
}

function snapshot (): NonNullable<typeof kept> {
  kept ??= JSON.parse(readFileSync(asset('services/providers/agent-registry.json'), 'utf8')) as NonNullable<typeof kept>
  return kept
}

/** Returns the agents that are neither configured nor installed. */
export function installableAgents (
  agents: ReadonlyArray<Pick<ConfiguredAgent, 'id' | 'preset' | 'command'>>, path: string | undefined
): RegisteredAgent[] {
  return registeredAgents().filter(({ id, preset, command: [program] }) =>
    !agents.some((agent) => agent.id === id || (preset !== null && agent.preset === preset) || agent.command[0] === program) &&
    onPath(program, path) === null)
}
