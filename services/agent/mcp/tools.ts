import { Type } from '@sinclair/typebox'
import { type Tool, type ToolResult } from '../tools/tool.js'
import { oneLine } from '../tools/wording.js'
import { inTime } from '../../ground/concurrency/in-time.js'
import { timeLimit } from '../../ground/time/time-limit.js'
import { cutMiddle } from '../engines/quoted-conversation.js'
import { type ToolDefinition } from './definitions.js'
import { type Accepted } from './kept-listings.js'
import { resourceKey, taskKey, toolKey } from './names.js'
import { createArgumentCheck } from './schemas.js'
import { keepView } from './kept-views.js'
import { type McpServer } from './server.js'

const longestList = 30_000

export interface McpToolOptions { accepted: Accepted, profileHome: string }

/** How long a call waits for its view. Without one it still has its text. */
const viewPatienceMs = 5_000

/** Creates the tool by which the model calls a server's tool. Only the server knows what it does, so calls ask unless granted. */
export function createMcpTool (
  server: McpServer, definition: ToolDefinition, name: string, { accepted, profileHome }: McpToolOptions
): Tool {
  const key = toolKey(server.name, definition.tool)
  const { description, parameters, hints, fingerprint } = definition
  return {
    name,
    description: oneLine(`Tool of the MCP server "${server.name}". ${description}`, 2_200),
    // The server's schema, which only `problem` reads.
    parameters: parameters as unknown as Tool['parameters'],
    // It may change files of the workspace, so a checkpoint is made first.
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
    permitted: async (asked) => await accepted.note(key, fingerprint, asked),
    async run (args, context): Promise<ToolResult> {
      const { uri = null } = definition.ui ?? {}
      const { sessionId, callId } = context
      if (uri === null || callId === undefined || !server.config.selection.resources) return await server.call(definition, args, context)
      const limit = timeLimit(server.config.timeoutMs, [context.signal])
      const reading = server.page(uri, limit.signal).catch(() => null)
      try {
        const result = await server.call(definition, args, context)
        const page = result.isError === true ? null : await inTime(viewPatienceMs, reading)
        if (page == null) return result
        // If the view cannot be stored, the text is still there.
        await keepView(profileHome, sessionId, {
          callId, server: server.name, tool: definition.tool, uri, args, answer: result.answer, page
        }).catch(() => {})
        return result
      } finally {
        limit.clear()
      }
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

/** Creates the tools for reading resources. `servers` are those that have resources. */
export function createResourceTools (servers: readonly McpServer[]): Tool[] {
  if (servers.length === 0) return []
  const names = namesOf(servers)
  const named = (name: string): McpServer => serverNamed(servers, name, 'with resources')
  const targets = ({ server }: { server: string }) => ({
    mcp: {
      server, tool: 'resources', key: resourceKey(knownName(servers, server)), says: null,
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

const Task = Type.Object({
  server: Type.String({ minLength: 1, maxLength: 64, description: 'The name of the MCP server.' }),
  task: Type.String({ minLength: 1, maxLength: 500, description: 'The id of the task, as the call was answered with.' }),
  action: Type.Optional(Type.Union([Type.Literal('look'), Type.Literal('stop')], {
    description: 'look (the default): waits a while for its result; stop: asks the server to stop it.'
  }))
}, { additionalProperties: false })

/** Creates the tool that looks at, or stops, tasks that servers continue after a call. `servers` are those that support tasks. */
export function createTaskTools (servers: readonly McpServer[]): Tool[] {
  if (servers.length === 0) return []
  const tool: Tool<typeof Task> = {
    name: 'mcp_task',
    description: `Looks after a task that an MCP server went on with, or stops it. Servers that have tasks: ${namesOf(servers)}.`,
    parameters: Task,
    risk: 'network',
    targets: ({ server, action }) => ({
      mcp: {
        server, tool: 'tasks', key: taskKey(knownName(servers, server), action === 'stop' ? 'cancel' : 'get'), says: null,
        onlyReads: action !== 'stop', isOther: false
      }
    }),
    preview: ({ server, task, action }) => oneLine(`${server}: ${action === 'stop' ? 'stop ' : ''}${task}`),
    async run ({ server, task, action }, context) {
      const found = serverNamed(servers, server, 'with tasks')
      return action === 'stop' ? await found.stopTask(task, context.signal) : await found.task(task, context)
    }
  }
  return [tool]
}

const namesOf = (servers: readonly McpServer[]): string => servers.map(({ name }) => name).join(', ')
const knownName = (servers: readonly McpServer[], name: string): string => servers.some((server) => server.name === name) ? name : 'unknown'

function serverNamed (servers: readonly McpServer[], name: string, what: string): McpServer {
  const found = servers.find((server) => server.name === name)
  if (found === undefined) throw new Error(`There is no MCP server of this name ${what}. There are: ${namesOf(servers)}.`)
  return found
}
