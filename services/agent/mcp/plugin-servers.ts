import { dirname, join } from 'node:path'
import { fieldsOf, isRecord } from '../../ground/fields.js'
import { acceptedPlugins, type AcceptedPlugin } from '../../ground/home/accepted-plugins.js'
import { readHomeFile } from '../../ground/home/home-file.js'
import { type ProfileSettings } from '../../ground/home/settings.js'
import { mapTexts } from '../../ground/text/json.js'
import { parseJson } from '../../ground/text/parse-json.js'
import { mcpServersOf, type McpServerConfig, type McpTarget } from './configuration.js'

/** The files of a plugin that name MCP servers, relative to its folder: a list of servers, and the plugin's own description. */
const pluginServerFiles = ['.mcp.json', '.claude-plugin/plugin.json'] as const
/** Stands for the folder of the plugin, as in plugins for Claude Code. */
export const rootVariable = '$' + '{CLAUDE_PLUGIN_ROOT}'

/** Returns the MCP servers of a profile: those of its config.yaml, then those of enabled plugins, each name once. Never throws. */
export function serversOf ({ home, configAsWritten }: Pick<ProfileSettings, 'home' | 'configAsWritten'>): McpServerConfig[] {
  const written = mcpServersOf(configAsWritten)
  const taken = new Set(written.map(({ name }) => name))
  return [...written, ...acceptedPlugins(home).flatMap((plugin) => pluginServers(plugin)).filter(({ name }) => !taken.has(name))]
}

/**
 * Returns the MCP servers of a plugin, each named `<plugin>.<server>`. A program runs in the plugin's folder unless it names
 * another. One in the sandbox runs in a folder of its own, so that it cannot change what a person has accepted. Never
 * throws: a file that cannot be read names no servers.
 */
export function pluginServers ({ name: plugin, folder }: Pick<AcceptedPlugin, 'name' | 'folder'>): McpServerConfig[] {
  const entries: Record<string, unknown> = Object.assign(
    {}, ...pluginServerFiles.toReversed().map((file) => entriesIn(join(folder, file)))
  )
  const named = Object.entries(entries).map(([name, entry]) => [`${plugin}.${name}`, inFolder(entry, folder)] as const)
  return mcpServersOf({
    mcp_servers: Object.fromEntries(named)
  }).map((server) => ({ ...server, target: apart(server.target, plugin, folder), plugin }))
}

function apart (target: McpTarget | null, plugin: string, folder: string): McpTarget | null {
  if (target?.transport !== 'stdio' || !target.sandbox) return target
  const command = target.command.startsWith('.') ? join(folder, target.command) : target.command
  return { ...target, command, cwd: join(dirname(folder), '..', 'plugin-data', plugin), readable: folder }
}

/** Reads `mcpServers` of a file. A `.mcp.json` without that key is read as a whole; a plugin.json has other keys too. */
function entriesIn (path: string): Record<string, unknown> {
  const found = readHomeFile(path)
  if (found === undefined || !('text' in found)) return {}
  const whole = parseJson(found.text)
  return fieldsOf(fieldsOf(whole)['mcpServers'] ?? (path.endsWith('.mcp.json') ? whole : {}))
}

function inFolder (entry: unknown, folder: string): unknown {
  const filled = mapTexts(entry, (text) => text.replaceAll(rootVariable, folder))
  return isRecord(filled) && typeof filled['command'] === 'string' ? { cwd: folder, ...filled } : filled
}
