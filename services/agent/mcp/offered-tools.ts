import { Type } from '@sinclair/typebox'
import { type Tool } from '../tools/tool.js'
import { oneLine } from '../tools/wording.js'
import { type McpBudget } from './configuration.js'

/** A tool that can be offered, with its server and the server's name for it. */
export interface OfferedTool { tool: Tool, server: string, name: string }

/** How tools are shown to a model: all of them, or only those that it has searched for. */
export interface Offer {
  tools: readonly OfferedTool[]
  byName: ReadonlyMap<string, Tool>
  /** Whether there are more than can be shown at once, so that the model has to search. */
  isSearched: boolean
}

const charsPerToken = 4
const mostFound = 8

export function createOffer (tools: readonly OfferedTool[], budget: McpBudget): Offer {
  const tokens = tools.reduce((sum, { tool }) => sum + tokensOf(tool), 0)
  return {
    tools, byName: new Map(tools.map(({ tool }) => [tool.name, tool])), isSearched: tools.length > budget.tools || tokens > budget.tokens
  }
}

/** Estimates the tokens of a tool's definition. */
function tokensOf ({ name, description, parameters }: Tool): number {
  return Math.ceil((name.length + description.length + JSON.stringify(parameters).length) / charsPerToken)
}

const Query = Type.Object({
  query: Type.String({ minLength: 1, maxLength: 500, description: 'What the tool should do, or its name.' })
}, { additionalProperties: false })

/** Creates the tool that searches the tools that are not shown. Those it finds are shown from the next step on. */
export function createToolSearch (offer: Offer, load: (names: string[]) => void): Tool<typeof Query> {
  const counts = new Map<string, number>()
  for (const { server } of offer.tools) counts.set(server, (counts.get(server) ?? 0) + 1)
  const servers = [...counts].slice(0, 50).map(([server, count]) => `${server} (${count})`).join(', ')
  return {
    name: 'tool_search',
    description: `Finds more tools. There are ${offer.tools.length} tools of MCP servers that are not shown to you until you have searched for them; servers, with the number of their tools: ${servers}. ` +
      'Tools that were found can be called from your next step on.',
    parameters: Query,
    risk: 'none',
    targets: () => ({}),
    preview: ({ query }) => oneLine(query),
    async run ({ query }) {
      const found = search(offer.tools, query)
      if (found.length === 0) return { text: 'No tool fits. Search with other words, or with the name of a server.' }
      load(found.map(({ tool }) => tool.name))
      return {
        text: [
          'These tools can be called from now on:', ...found.map(({ tool }) => `- ${tool.name}: ${oneLine(tool.description, 300)}`)
        ].join('\n')
      }
    }
  }
}

/** Returns the tools that fit best, by their words. An exact name comes first. */
export function search (tools: readonly OfferedTool[], query: string): OfferedTool[] {
  const wanted = [...new Set(words(query))]
  const texts = tools.map((entry) => ({
    entry, names: new Set([...words(entry.name), ...words(entry.server)]), all: new Set(words(entry.tool.description))
  }))
  // A word that every tool has says nothing.
  const weight = new Map(wanted.map((word) =>
    [word, Math.log(1 + tools.length / (1 + texts.filter(({ names, all }) => has(names, word) || has(all, word)).length))]))
  const scored = texts.map(({ entry, names, all }) => {
    const exact = entry.name.toLowerCase() === query.trim().toLowerCase() || entry.tool.name === query.trim() ? 1_000 : 0
    return {
      entry, score: exact +
      wanted.reduce((sum, word) => sum + (weight.get(word) ?? 0) * ((has(names, word) ? 3 : 0) + (has(all, word) ? 1 : 0)), 0)
    }
  })
  return scored.filter(({ score }) => score > 0).sort((one, other) => other.score - one.score).slice(0, mostFound).map(({ entry }) => entry)
}

const words = (text: string): string[] =>
  text.slice(0, 3_000).replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1)

/** Whether a word is known; `issue` and `issues` count as the same. */
const has = (known: ReadonlySet<string>, word: string): boolean =>
  known.has(word) || known.has(`${word}s`) || (word.endsWith('s') && known.has(word.slice(0, -1)))
