import { createHash } from 'node:crypto'
import { fieldsOf } from '../../ground/fields.js'
import { visibleProse } from '../../ground/visible.js'
import { argumentsSchema, Unusable } from './schemas.js'
import { uiOf, type ToolUi } from './views.js'

/** A tool as its server describes it, made fit to be shown: material from outside, whatever it says. */
export interface ToolDefinition {
  /** As the server knows it. */
  tool: string
  description: string
  parameters: Record<string, unknown>
  /** What the server says of it; nobody relies on that. */
  hints: { readOnly?: boolean, destructive?: boolean }
  /** It has a view, or not everybody may call it. */
  ui?: ToolUi | undefined
  /** Changes with everything the server says of the tool. */
  fingerprint: string
}

const longestName = 128
const longestDescription = 2_000
/** What a server says of one tool; more is no description. */
const longestDefinition = 256 * 1_024

/** Reads one entry of a server's list. Returns why it was left out where it cannot be used. */
export function definitionOf (raw: unknown): ToolDefinition | { tool: string, leftOut: string } {
  const { name, title, description, inputSchema, annotations, outputSchema, _meta } = fieldsOf(raw)
  if (typeof name !== 'string' || name === '' || name.length > longestName) {
    return { tool: shown(String(name), 80), leftOut: 'it has no name that can be used' }
  }
  try {
    const ui = uiOf(_meta)
    const said = canonical({ name, title, description, inputSchema, annotations, outputSchema, ui })
    if (said.length > longestDefinition) throw new Unusable('its description is too long')
    const { readOnlyHint, destructiveHint } = fieldsOf(annotations)
    return {
      tool: name,
      description: shown(typeof description === 'string' && description.trim() !== ''
        ? description
        : typeof title === 'string' ? title : '', longestDescription),
      parameters: argumentsSchema(inputSchema, shown),
      hints: {
        ...(typeof readOnlyHint === 'boolean' ? { readOnly: readOnlyHint } : {}),
        ...(typeof destructiveHint === 'boolean' ? { destructive: destructiveHint } : {})
      },
      ...(ui === undefined ? {} : { ui }),
      fingerprint: createHash('sha256').update(said).digest('hex').slice(0, 32)
    }
  } catch (error) {
    return { tool: shown(name, 80), leftOut: error instanceof Unusable ? error.message : 'its description cannot be read' }
  }
}

/** A text of a server, bounded, with signs for what would not be seen. */
export function shown (text: string, max: number): string {
  const seen = visibleProse(text.slice(0, max))
  return text.length > max ? `${seen.slice(0, max - 1)}…` : seen
}

/** The same text for the same value, whatever the order of its keys. Throws for what nests too deep. */
function canonical (value: unknown, depth = 0): string {
  if (depth > 64) throw new Unusable('its description nests too deep')
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  return `{${Object.entries(value).filter(([, item]) => item !== undefined).sort(([a], [b]) => a < b ? -1 : 1).map(([key, item]) => `${JSON.stringify(key)}:${canonical(item, depth + 1)}`).join(',')}}`
}
