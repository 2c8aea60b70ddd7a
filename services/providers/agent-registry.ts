import { readFileSync } from 'node:fs'
import { asset } from '../ground/assets.js'
import { onPath, type ConfiguredAgent } from './agents.js'
import { type AgentPresetId } from './agent-presets.js'

/** An agent of the public registry of the Agent Client Protocol, as the snapshot has it. */
export interface RegisteredAgent {
  id: string
  /** Ours of the same agent; null: none. */
  preset: AgentPresetId | null
  name: string
  description: string
  /** As the registry says it: an SPDX identifier, or "proprietary". */
  licence: string
  page: string | null
  /** The version that `install` installs. */
  version: string
  /** The line that installs it, on Linux. */
  install: string
  /** The program that it brings, with its arguments. */
  command: readonly [string, ...string[]]
}

let snapshot: { source: string, agents: RegisteredAgent[] } | undefined

/** All agents of the snapshot, which `scripts/build-agent-registry.js` makes. */
export function registeredAgents (): readonly RegisteredAgent[] {
  snapshot ??= JSON.parse(readFileSync(asset('services/providers/agent-registry.json'), 'utf8')) as NonNullable<typeof snapshot>
  return snapshot.agents
}

/** Those that are neither set up nor installed. */
export function installableAgents (
  agents: ReadonlyArray<Pick<ConfiguredAgent, 'id' | 'preset' | 'command'>>, path: string | undefined
): RegisteredAgent[] {
  return registeredAgents().filter(({ id, preset, command: [program] }) =>
    !agents.some((agent) => agent.id === id || (preset !== null && agent.preset === preset) || agent.command[0] === program) &&
    (program.startsWith('./') || onPath(program, path) === null))
}
