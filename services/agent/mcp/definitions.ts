import { createHash } from 'node:crypto'
import { fieldsOf } from '../../ground/fields.js'
import { visibleProse } from '../../ground/text/visible.js'
import { argumentsSchema, Unusable } from './schemas.js'
import { uiOf, type ToolUi } from './views.js'

/** A tool as its server describes it, made safe to show. Its texts are untrusted. */
export interface ToolDefinition {
  /** The server's name for it. */
  tool: string
  description: string
  parameters: Record<string, unknown>
  /** What the server claims about it. Only plan mode goes by it, as it asks nobody there. */
  hints: { readOnly?: boolean, destructive?: boolean }
  /** Set if it has a view, or says who may call it. */
  ui?: ToolUi | undefined
  /** Changes whenever anything that the server says about the tool changes. */
  fingerprint: string
}

const longestName = 128
const longestDescription = 2_000
/** How much a server may say about one tool. */
const longestDefinition = 256 * 1_024

/** Reads one entry of a server's list. Returns why it was left out if it cannot be used. */
export function definitionOf (raw: unknown): ToolDefinition | { tool: string, leftOut: string } {
  const { name, title, description, inputSchema, annotations, outputSchema, _meta } = fieldsOf(raw)
  if (typeof name !== 'string' || name === '' || name.length > longestName) {
    return { tool: displayText(String(name), 80), leftOut: 'it has no name that can be used' }
  }
  try {
    const ui = uiOf(_meta)
    const said = canonical({ name, title, description, inputSchema, annotations, outputSchema, ui })
    if (said.length > longestDefinition) throw new Unusable('its description is too long')
    const { readOnlyHint, destructiveHint } = fieldsOf(annotations)
    return {
      tool: name,
      description: displayText(typeof description === 'string' && description.trim() !== ''
        ? description
        : typeof title === 'string' ? title : '', longestDescription),
      parameters: argumentsSchema(inputSchema, displayText),
      hints: {
        ...(typeof readOnlyHint === 'boolean' ? { readOnly: readOnlyHint } : {}),
        ...(typeof destructiveHint === 'boolean' ? { destructive: destructiveHint } : {})
      },
      ...(ui === undefined ? {} : { ui }),
      fingerprint: createHash('sha256').update(said).digest('hex').slice(0, 32)
    }
  } catch (error) {
    return { tool: displayText(name, 80), leftOut: error instanceof Unusable ? error.message : 'its description cannot be read' }
  }
}

/** Returns a text of a server, at most `max` characters long, with visible signs in place of invisible characters. */
export function displayText (text: string, max: number): string {
  const seen = visibleProse(text.slice(0, max))
  return text.length > max ? `${seen.slice(0, max - 1)}…` : seen
}

/** Returns the same text for the same value, whatever the order of its keys. Throws Unusable for values nested too deeply. */
function canonical (value: unknown, depth = 0): string {
  if (depth > 64) throw new Unusable('its description nests too deep')
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  return `{${Object.entries(value).filter(([, item]) => item !== undefined).sort(([a], [b]) => a < b ? -1 : 1).map(([key, item]) => `${JSON.stringify(key)}:${canonical(item, depth + 1)}`).join(',')}}`
}
