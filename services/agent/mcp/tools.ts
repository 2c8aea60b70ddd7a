import { Type } from '@sinclair/typebox'
import { type Tool, type ToolResult } from '../tools/tool.js'
import { oneLine } from '../tools/wording.js'
import { cutMiddle } from '../engines/material.js'
import { type ToolDefinition } from './definitions.js'
import { type Accepted } from './kept.js'
import { resourceKey, toolKey } from './names.js'
import { createArgumentCheck } from './schemas.js'
import { type McpServer } from './server.js'

const longestList = 30_000

/** A tool of a server as the model calls it. What it does, its server alone knows: every call asks unless it is granted. */
export function createMcpTool (server: McpServer, definition: ToolDefinition, name: string, accepted: Accepted): Tool {
  const key = toolKey(server.name, definition.tool)
  const { description, parameters, hints, fingerprint } = definition
  return {
    name,
    description: oneLine(`Tool of the MCP server "${server.name}". ${description}`, 2_200),
    // A schema of the server's, which only `problem` reads.
    parameters: parameters as unknown as Tool['parameters'],
    // It may change files of the workspace: their present state is kept before.
    risk: 'execute',
    targets: () => ({
      mcp: {
        server: server.name, tool: definition.tool, key, says: saying(hints), onlyReads: hints.readOnly === true,
        isOther: accepted.isOther(key, fingerprint)
      }
    }),
    preview: (args) => oneLine(JSON.stringify(args)),
    content: (args) => JSON.stringify(args, null, 2),
    problem: createArgumentCheck(parameters),
    async run (args, context): Promise<ToolResult> {
      await accepted.note(key, fingerprint, context.asked === true)
      return await server.call(definition, args, context)
    }
  }
}

function saying ({ readOnly, destructive }: ToolDefinition['hints']): 'reads' | 'destroys' | 'adds' | null {
  if (readOnly === true) return 'reads'
  return destructive === true ? 'destroys' : destructive === false ? 'adds' : null
}

const Server = Type.Object({
  server: Type.String({ minLength: 1, maxLength: 64, description: 'The name of the MCP server.' })
}, { additionalProperties: false })
const Resource = Type.Object({
  server: Type.String({ minLength: 1, maxLength: 64, description: 'The name of the MCP server.' }),
  uri: Type.String({ minLength: 1, maxLength: 2_000, description: 'The address of the resource, as it was listed.' })
}, { additionalProperties: false })

/** What servers have beside their tools. `servers` are those that have such things. */
export function createResourceTools (servers: readonly McpServer[]): Tool[] {
  const names = servers.map(({ name }) => name).join(', ')
  const named = (name: string): McpServer => {
    const found = servers.find((server) => server.name === name)
    if (found === undefined) throw new Error(`There is no MCP server of this name with resources. There are: ${names}.`)
    return found
  }
  const targets = ({ server }: { server: string }) => ({
    mcp: {
      server, tool: 'resources', key: resourceKey(servers.some(({ name }) => name === server) ? server : 'unknown'), says: null,
      onlyReads: true, isOther: false
    }
  })
  const list: Tool<typeof Server> = {
    name: 'mcp_list_resources',
    description: `Lists the resources (documents, records) of an MCP server. Servers that have some: ${names}.`,
    parameters: Server,
    risk: 'network',
    targets,
    preview: ({ server }) => server,
    async run ({ server }, { signal }) {
      const found = await named(server).resources(signal)
      const lines = found.map(({ uri, name, description, mimeType }) =>
        [uri, name, mimeType, oneLine(description, 200)].filter((part) => part !== '').join(' | '))
      return { text: lines.length === 0 ? '(no resources)' : cutMiddle(lines.join('\n'), longestList) }
    }
  }
  const read: Tool<typeof Resource> = {
    name: 'mcp_read_resource',
    description: `Reads a resource of an MCP server. Servers that have some: ${names}.`,
    parameters: Resource,
    risk: 'network',
    targets,
    preview: ({ server, uri }) => oneLine(`${server}: ${uri}`),
    run: async ({ server, uri }, context) => await named(server).read(uri, context)
  }
  return [list, read]
}
