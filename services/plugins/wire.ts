import { type Static } from '@sinclair/typebox'
import { type Plugin as PluginSchema } from '../../schemas/plugins.js'
import { type McpServerConfig } from '../agent/index.js'
import { type Plugin } from './plugins.js'

/** A person looks through a list of so many. */
const mostFiles = 500
const named = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

export function pluginToWire ({ name, description, version, author, isEnabled, isChanged, problem, seal, commands, skills, servers, unused, files, sizeBytes }: Plugin): Static<typeof PluginSchema> {
  const inOrder = [...files.filter(({ change }) => change !== null), ...files.filter(({ change }) => change === null)]
  return {
    name,
    description,
    version,
    author,
    enabled: isEnabled,
    changed: isChanged,
    problem,
    seal,
    brings: { commands, skills, mcp_servers: servers.map(serverToWire) },
    unused,
    files: inOrder.slice(0, mostFiles).map(({ path, sizeBytes, isExecutable, change }) => ({ path, size: sizeBytes, executable: isExecutable, change })),
    files_count: files.length,
    size: sizeBytes
  }
}

function serverToWire ({ name, target, problem }: McpServerConfig): Static<typeof PluginSchema>['brings']['mcp_servers'][number] {
  return {
    name,
    runs: target?.transport === 'stdio' ? [target.command, ...target.args].join(' ') : null,
    url: target?.transport === 'http' ? target.url : null,
    variables: [...new Set([...JSON.stringify(target).matchAll(named)].map(([, variable = '']) => variable))],
    sandbox: target?.transport === 'stdio' && target.sandbox,
    problem
  }
}
