import { fieldsOf } from '../../ground/fields.js'
import { ToolError } from '../tools/containment.js'

/** The extension by which tools have views (MCP Apps, 2026-01-26). */
export const uiExtension = 'io.modelcontextprotocol/ui'
export const viewMimeType = 'text/html;profile=mcp-app'

/** What a tool says about its view: the address, and who may call the tool. */
export interface ToolUi { uri: string | null, forModel: boolean, forApp: boolean }
/** A view as its server delivers it; `domains`: the origins that it declares it wants to reach. */
export interface ViewPage {
  html: string
  domains: { connect: string[], resource: string[], frame: string[], base: string[] }
}

const longestUri = 2_000
/** How long a view may be. It is one file with everything it needs. */
const longestPage = 4 * 1_024 * 1_024

/** Reads `_meta.ui` of a tool; undefined if it has none. */
export function uiOf (meta: unknown): ToolUi | undefined {
  const { ui, 'ui/resourceUri': flat } = fieldsOf(meta)
  const { resourceUri = flat, visibility } = fieldsOf(ui)
  const uri = typeof resourceUri === 'string' && resourceUri.startsWith('ui://') && resourceUri.length <= longestUri ? resourceUri : null
  if (uri === null && visibility === undefined) return undefined
  const names = Array.isArray(visibility) ? visibility : ['model', 'app']
  return { uri, forModel: names.includes('model'), forApp: names.includes('app') }
}

/** Reads a server's answer for the address of a view. Throws ToolError if it is not a view. */
export function pageOf (contents: readonly unknown[], uri: string): ViewPage {
  const found = contents.map(fieldsOf).find((content) => content.uri === uri) ?? fieldsOf(contents[0])
  const { mimeType, text, blob, _meta: meta } = found
  if (typeof mimeType !== 'string' || mimeType.replace(/\s/g, '').toLowerCase() !== viewMimeType) {
    throw new ToolError('The server has no view at this address.')
  }
  const html = typeof text === 'string' ? text : typeof blob === 'string' ? Buffer.from(blob, 'base64').toString() : ''
  if (html === '' || html.length > longestPage) throw new ToolError('The view is empty, or longer than 4 MB.')
  const { connectDomains, resourceDomains, frameDomains, baseUriDomains } = fieldsOf(fieldsOf(fieldsOf(meta).ui).csp)
  return {
    html,
    domains: {
      connect: originsOf(connectDomains),
      resource: originsOf(resourceDomains),
      frame: originsOf(frameDomains),
      base: originsOf(baseUriDomains)
    }
  }
}

const originsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : []).filter((item) => typeof item === 'string' && item.length <= 260).slice(0, 30)
