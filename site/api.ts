import { anchorOf } from './markdown.js'
import { apiPage } from './pages.js'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: unknown
}
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
  readonly description?: string
}
interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
  readonly description?: string
}
interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
  readonly security?: readonly unknown[]
  readonly 'x-token-scope'?: string
}
export interface Document {
  readonly tags?: ReadonlyArray<{ readonly name: string, readonly description?: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** A page of the HTTP reference, as Markdown. */
export interface ApiPage { readonly name: string, readonly title: string, readonly markdown: string }

/** The page of the shapes that answers share. */
const shapesPage = `${apiPage}-shapes`

/** Returns the HTTP reference: a page that lists all operations, one for each tag, and one with the shapes. */
export function apiPages (document: Document): ApiPage[] {
  const byTag = new Map<string, string[]>()
  const rows = new Map<string, string[]>()
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags?.[0] ?? 'other'
      const title = `${method.toUpperCase()} ${path}`
      byTag.set(tag, [...byTag.get(tag) ?? [], operationText(title, operation)])
      rows.set(tag, [...rows.get(tag) ?? [], `| [\`${title}\`](${nameOf(tag)}.md#${anchorOf(title)}) | ${operation.summary ?? ''} |`])
    }
  }
  const describedAs = new Map(document.tags?.map(({ name, description }) => [name, description]))
  const tags = [...byTag.keys()].toSorted()
  const overview = tags.map((tag) => `## ${titleOf(tag)}\n\n${ended(describedAs.get(tag))}| Operation | What it does |\n|---|---|\n${rows.get(tag)?.join('\n')}\n`)
  const shapes = Object.entries(document.components.schemas).toSorted(([one], [other]) => one.localeCompare(other))
    .map(([name, schema]) => `## ${name}\n\n${ended(schema.description)}${shapeText(schema)}`)
  return [
    { name: apiPage, title: 'HTTP reference', markdown: `# HTTP reference\n\n${about}\n${overview.join('\n')}` },
    ...tags.map((tag) => ({
      name: nameOf(tag), title: titleOf(tag), markdown: `# ${titleOf(tag)}\n\n${ended(describedAs.get(tag))}${byTag.get(tag)?.join('\n')}`
    })),
    { name: shapesPage, title: 'Shapes', markdown: `# Shapes\n\nWhat answers and frames consist of.\n\n${shapes.join('\n')}` }
  ]
}

const about = `Every operation of the service, made from its OpenAPI document. A running service serves that document at \`/docs/json\`, with a page to
try it at \`/docs\`. [Interface](interface.md) explains how the operations work together: signing in, event streams, approvals. *Scope* is
what a [device token](tokens.md) needs.
`

const nameOf = (tag: string): string => `${apiPage}-${anchorOf(tag)}`
const titleOf = (tag: string): string => known[tag] ?? `${tag.charAt(0).toUpperCase()}${tag.slice(1)}`
const known: Readonly<Record<string, string>> = { mcp: 'MCP', openai: 'OpenAI', auth: 'Sign-in', hosts: 'Machines' }

const ended = (text: string | undefined): string => text === undefined || text === '' ? '' : `${sentence(text)}\n\n`
const sentence = (text: string): string => {
  const begun = `${text.charAt(0).toUpperCase()}${text.slice(1)}`
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`
}

function operationText (title: string, operation: Operation): string {
  const { summary, description, parameters = [], requestBody, responses, security } = operation
  const scope = security?.length === 0 ? 'Needs no sign-in.' : `Scope: \`${operation['x-token-scope'] ?? 'person'}\`.`
  const body = Object.entries(requestBody?.content ?? {})
  return [
    `## ${title}\n`,
    `${ended(summary)}${ended(description)}${scope}\n`,
    ...parameters.length === 0 ? [] : [`**Parameters**\n\n${tableOf(parameters.map(parameterRow))}`],
    ...body.map(([type, { schema = {} }]) => `**Body** (\`${type}\`)\n\n${shapeText(schema)}`),
    ...Object.entries(responses).filter(([status]) => /^[23]/.test(status)).map(([status, content]) => answerText(status, content)),
    errorsText(responses)
  ].join('\n')
}

const parameterRow = ({ name, in: place, required = false, schema, description = schema.description ?? '' }: Parameter): Row =>
  ({ name, type: `${typeOf(schema)}${place === 'query' ? '' : `, ${place}`}`, isRequired: required, about: description })

function answerText (status: string, { content = {}, description }: Content): string {
  const kinds = Object.entries(content)
  if (kinds.length === 0) return `**Answer** ${status}${description === undefined || description === 'Default Response' ? '' : `: ${description}`}\n`
  return kinds.map(([type, { schema = {} }]) => `**Answer** ${status} (\`${type}\`)\n\n${shapeText(schema)}`).join('\n')
}

/** Returns the statuses of errors, with the error codes that are specific to the operation. */
function errorsText (responses: Operation['responses']): string {
  const refusals = Object.entries(responses).filter(([status]) => !/^[23]/.test(status)).map(([status, { content = {} }]) => {
    const codes = Object.values(content).flatMap(({ schema }) => schema?.properties?.code?.enum ?? [])
    return codes.length === 0 ? status : `${status} (${codes.map((code) => `[\`${String(code)}\`](troubleshooting.md#${String(code)})`).join(', ')})`
  })
  return refusals.length === 0 ? '' : `**Errors**: ${refusals.join(', ')}\n`
}

interface Row { readonly name: string, readonly type: string, readonly isRequired: boolean, readonly about: string }

/** Returns a table of the keys of an object, or the type of anything else. */
function shapeText (schema: Schema): string {
  if (schema.properties === undefined || Object.keys(schema.properties).length === 0) {
    const { type, items, additionalProperties } = schema
    if (type === 'object' && typeof additionalProperties !== 'object') return 'An object.\n'
    return type === 'array' && items?.properties !== undefined ? `A list of objects:\n\n${shapeText(items)}` : `${sentence(typeOf(schema))}\n`
  }
  return tableOf(rowsOf(schema))
}

/** Returns the keys of an object, and those of the objects in it, one level deep. */
function rowsOf ({ properties = {}, required = [] }: Schema, prefix = '', depth = 1): Row[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const name = `${prefix}${key}`
    const inner = schema.type === 'array' ? schema.items : schema
    const row = { name, type: typeOf(schema), isRequired: required.includes(key), about: schema.description ?? '' }
    return inner?.properties === undefined || depth === 0 ? [row] : [row, ...rowsOf(inner, `${name}${inner === schema ? '.' : '[].'}`, depth - 1)]
  })
}

const tableOf = (rows: readonly Row[]): string => [
  '| Key | Type | Meaning |', '|---|---|---|',
  ...rows.map(({ name, type, isRequired, about }) => `| \`${name}\`${isRequired ? '' : '?'} | ${type} | ${inCell(about)} |`), ''
].join('\n')

const inCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')

/** Returns a type in words, with links to named shapes. */
function typeOf (schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return `[${name}](${shapesPage}.md#${anchorOf(name)})`
  }
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${inCell(JSON.stringify(value))}\``).join(', ')
  const types = [schema.type ?? 'anything'].flat()
  return types.map((type) => {
    if (type === 'array') return `list of ${schema.items === undefined ? 'anything' : typeOf(schema.items)}`
    if (type === 'object' && typeof schema.additionalProperties === 'object') return `object of ${typeOf(schema.additionalProperties)}`
    return `${type}${limitsOf(schema, type)}`
  }).join(' or ')
}

function limitsOf ({ maxLength, minimum, maximum }: Schema, type: string): string {
  if (type === 'string') return maxLength === undefined ? '' : `, at most ${maxLength.toLocaleString('en')} characters`
  if (type !== 'number' && type !== 'integer') return ''
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`
  return minimum !== undefined ? `, at least ${minimum}` : maximum !== undefined ? `, at most ${maximum}` : ''
}
