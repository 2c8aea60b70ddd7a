import { type Static } from '@sinclair/typebox'
import { type Plugin as PluginSchema } from '../../../schemas/plugins.js'
import { redact } from '../../ground/redaction/index.js'
import { visible } from '../../ground/text/visible.js'
import { type Plugin } from './plugins.js'

/** As many as a person will look through. */
const mostFiles = 500
const named = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** `mayChange`: for a client that may switch the plugin on, and so sees unmasked what that would start. */
export function pluginToWire (
  { name, description, version, author, isEnabled, isChanged, problem, seal, commands, skills, servers, unused, files, sizeBytes }: Plugin,
  mayChange: boolean
): Static<typeof PluginSchema> {
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
    brings: { commands, skills, mcp_servers: servers.map((server) => serverToWire(server, mayChange)) },
    unused,
    files: inOrder.slice(0, mostFiles).map(({
      path, sizeBytes, isExecutable, change
    }) => ({ path, size: sizeBytes, executable: isExecutable, change })),
    files_count: files.length,
    size: sizeBytes
  }
}

function serverToWire (
  { name, target, problem, line }: Plugin['servers'][number], mayChange: boolean
): Static<typeof PluginSchema>['brings']['mcp_servers'][number] {
  return {
    name,
    runs: line === null ? null : visible(mayChange ? line : redact(line)),
    url: target?.transport === 'http' ? target.url : null,
    variables: [...new Set([...JSON.stringify(target).matchAll(named)].map(([, variable = '']) => variable))],
    sandbox: target?.transport === 'stdio' && target.sandbox,
    problem
  }
}
