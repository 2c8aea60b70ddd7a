import { targetKey, type McpServerConfig } from './configuration.js'
import { type McpPrompt } from './connection.js'
import { type ToolDefinition } from './definitions.js'
import { readListing, readPrompts } from './kept-listings.js'
import { modelName } from './names.js'
import { type McpServerState } from './queries.js'
import { usedOf } from './server-listing.js'

/** Returns the state of a server while no host runs, with what it offered by its latest answer. */
export function lastKnownState (profileHome: string, config: McpServerConfig): McpServerState {
  const { name, enabled, target, problem } = config
  const kept = target === null ? null : readListing(profileHome, name, targetKey(target))
  return {
    name,
    status: !enabled ? 'disabled' : problem === null ? 'idle' : 'failed',
    error: problem,
    startedAtMs: null,
    tools: usedOf(config, kept).map((definition) => toolState(definition, modelName(name, definition.tool, () => false))),
    leftOut: kept?.listing.leftOut ?? [],
    log: []
  }
}

/** Returns the last known prompts of a server; null if it is not known to have any, or if they are not used. */
export function lastKnownPrompts (profileHome: string, { name, enabled, target, selection }: McpServerConfig): McpPrompt[] | null {
  if (!enabled || target === null || !selection.prompts) return null
  const key = targetKey(target)
  return readListing(profileHome, name, key)?.listing.prompts === true ? readPrompts(profileHome, name, key) : null
}

/** Returns a tool as clients get it. `name`: what the model calls it. */
export function toolState ({ tool, description, hints }: ToolDefinition, name: string): McpServerState['tools'][number] {
  return { name, tool, description, read_only: hints.readOnly ?? null }
}
