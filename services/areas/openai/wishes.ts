import { type AnswerFormat, type ClientTool, type ClientWishes, type SamplingOptions } from '../../agent/protocol.js'
import { fieldsOf, isRecord } from '../../ground/fields.js'
import { RequestRefused } from './failures.js'

const mostTools = 128
/** Limit for all tools together, and for a format: both are sent with every call of the model. */
const mostToolChars = 512_000
const mostFormatChars = 128_000
const nameForm = /^[a-zA-Z0-9_-]{1,64}$/

type Fields = Record<string, unknown>

/** The parts of a body; the two interfaces have them in different places. */
interface BodyParts {
  tools: unknown
  toolChoice: unknown
  parallel: unknown
  format: unknown
  formatPath: string
  /** Limits of the answer's tokens; the smallest counts. */
  limits: ReadonlyArray<number | undefined>
  sampling: SamplingOptions | undefined
}

/** Returns what a body asks for besides a text answer; undefined if nothing. Throws RequestRefused. */
export function wishesOf (
  { tools: given, toolChoice, parallel, format: givenFormat, formatPath, limits, sampling }: BodyParts
): ClientWishes | undefined {
  const tools = toolsOf(given)
  const format = formatOf(givenFormat, formatPath)
  const { offered, choice } = chosen(tools, toolChoice)
  const maxOutputTokens = Math.min(...limits.map((limit) => limit ?? Infinity))
  const wishes: ClientWishes = {
    ...(offered.length === 0 ? {} : { tools: offered }),
    ...(choice === undefined ? {} : { choice }),
    ...(parallel === false && offered.length > 0 ? { isOneByOne: true as const } : {}),
    ...(format === undefined ? {} : { format }),
    ...(Number.isFinite(maxOutputTokens) ? { maxOutputTokens } : {}),
    ...(sampling === undefined ? {} : { sampling })
  }
  return Object.keys(wishes).length === 0 ? undefined : wishes
}

/** Reads both forms: `{type, function: {name, …}}` of completions, and `{type, name, …}` of responses. */
function toolsOf (given: unknown): ClientTool[] {
  if (given === undefined || given === null) return []
  if (!Array.isArray(given)) throw new RequestRefused('tools must be a list', 'tools')
  if (given.length > mostTools) throw new RequestRefused(`tools: at most ${mostTools} at once`, 'tools')
  const tools = given.map((tool: unknown, index) => toolOf(fieldsOf(tool), `tools.${index}`))
  const twice = tools.find(({ name }, index) => tools.findIndex((tool) => tool.name === name) !== index)
  if (twice !== undefined) throw new RequestRefused(`tools: two of them are called ${twice.name}`, 'tools')
  if (JSON.stringify(tools).length > mostToolChars) throw new RequestRefused(`tools: more than ${mostToolChars} characters`, 'tools')
  return tools
}

function toolOf (tool: Fields, at: string): ClientTool {
  if (tool.type !== 'function') {
    throw new RequestRefused(
      `${at}.type: only functions of the client are accepted, not ${JSON.stringify(String(tool.type).slice(0, 40))}: the agent has tools of its own`,
      `${at}.type`, 'unsupported_parameter'
    )
  }
  const { name, description, parameters, strict } = isRecord(tool.function) ? tool.function : tool
  const path = isRecord(tool.function) ? `${at}.function` : at
  if (typeof name !== 'string' || !nameForm.test(name)) {
    throw new RequestRefused(`${path}.name must have 1 to 64 letters, digits, underscores and dashes`, `${path}.name`)
  }
  if (description !== undefined && description !== null && typeof description !== 'string') {
    throw new RequestRefused(`${path}.description must be a text`, `${path}.description`)
  }
  return {
    name, parameters: schemaOf(parameters ?? { type: 'object', properties: {} }, `${path}.parameters`),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof strict === 'boolean' ? { strict } : {})
  }
}

/** Providers accept only objects. */
function schemaOf (schema: unknown, at: string): Fields {
  if (!isRecord(schema) || (schema.type !== undefined && schema.type !== 'object')) {
    throw new RequestRefused(`${at} must be a JSON Schema with the type "object"`, at)
  }
  return Object.keys(schema).length === 0 ? { type: 'object', properties: {} } : { type: 'object', ...schema }
}

function formatOf (given: unknown, at: string): AnswerFormat | undefined {
  if (given === undefined || given === null) return undefined
  const fields = fieldsOf(given)
  if (fields.type === 'text') return undefined
  if (fields.type === 'json_object') return { type: 'json_object' }
  if (fields.type !== 'json_schema') throw new RequestRefused(`${at}.type must be text, json_object or json_schema`, `${at}.type`, 'unsupported_parameter')
  const isNested = isRecord(fields.json_schema)
  const { name, description, schema, strict } = isNested ? fieldsOf(fields.json_schema) : fields
  const path = isNested ? `${at}.json_schema` : at
  if (typeof name !== 'string' || !nameForm.test(name)) {
    throw new RequestRefused(`${path}.name must have 1 to 64 letters, digits, underscores and dashes`, `${path}.name`)
  }
  const format: AnswerFormat = {
    type: 'json_schema', name, schema: schemaOf(schema ?? {}, `${path}.schema`), strict: strict === true,
    ...(typeof description === 'string' ? { description } : {})
  }
  if (JSON.stringify(format).length > mostFormatChars) throw new RequestRefused(`${path}: more than ${mostFormatChars} characters`, path)
  return format
}

/** Returns the tools that the model is shown, and whether it must call one. The agent's own tools are not affected. */
function chosen (tools: ClientTool[], choice: unknown): { offered: ClientTool[], choice?: NonNullable<ClientWishes['choice']> } {
  const named = (name: unknown): ClientTool => {
    const tool = tools.find((tool) => tool.name === name)
    if (tool === undefined) throw new RequestRefused(`tool_choice: ${JSON.stringify(String(name).slice(0, 80))} is none of the tools`, 'tool_choice')
    return tool
  }
  if (choice === undefined || choice === null || choice === 'auto') return { offered: tools }
  if (choice === 'none') return { offered: [] }
  if (choice === 'required') {
    if (tools.length === 0) throw new RequestRefused('tool_choice: required needs tools', 'tool_choice')
    return { offered: tools, choice }
  }
  const { type, ...fields } = fieldsOf(choice)
  if (type === 'function') return { offered: tools, choice: { tool: named(fieldsOf(fields.function).name ?? fields.name).name } }
  if (type === 'allowed_tools') {
    const { mode, tools: allowed } = isRecord(fields.allowed_tools) ? fields.allowed_tools : fields
    const offered = (Array.isArray(allowed) ? allowed : []).map(fieldsOf).map((tool) => named(fieldsOf(tool.function).name ?? tool.name))
    return { offered, ...(mode === 'required' && offered.length > 0 ? { choice: 'required' as const } : {}) }
  }
  throw new RequestRefused('tool_choice must be auto, none, required, a function of the client or allowed_tools', 'tool_choice', 'unsupported_parameter')
}
