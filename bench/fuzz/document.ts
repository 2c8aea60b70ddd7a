/** A schema of the document, with the keywords that are used here. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  minimum?: number
  maximum?: number
}

interface Parameter { in: 'path' | 'query' | 'header', name: string, required?: boolean, schema: Schema }
interface Answered { content?: Record<string, { schema: Schema }> }

interface Described {
  operationId: string
  tags?: string[]
  security?: unknown[]
  'x-token-scope'?: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, Answered>
}

export interface OpenApi { paths: Record<string, Record<string, Described>>, components: { schemas: Record<string, Schema> } }

export interface Operation {
  /** `POST /api/session/rename`. */
  name: string
  method: string
  /** Path with its parameters in braces. */
  path: string
  area: string
  /** Scope that a token needs; null for public operations. */
  scope: string | null
  parameters: Parameter[]
  body: { mediaType: string, schema: Schema } | null
  responses: Record<string, Answered>
  /** JSON pointer to the operation in the document. */
  pointer: string
}

export function operationsOf (document: OpenApi): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, described]) => {
    const [body] = Object.entries(described.requestBody?.content ?? {})
    return {
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      area: described.tags?.[0] ?? '',
      scope: described.security?.length === 0 ? null : described['x-token-scope'] ?? null,
      parameters: described.parameters ?? [],
      body: body === undefined ? null : { mediaType: body[0], schema: body[1].schema },
      responses: described.responses,
      pointer: `/paths/${pointerPart(path)}/${method}`
    }
  }))
}

export const pointerPart = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))

/** Returns the schema that a reference points to. */
export function resolved (document: OpenApi, schema: Schema): Schema {
  const name = /^#\/components\/schemas\/(.+)$/.exec(schema.$ref ?? '')?.[1]
  return name === undefined ? schema : resolved(document, document.components.schemas[name] ?? {})
}

/** Returns every error code that the answers of these operations declare. */
export function declaredCodes (document: OpenApi, operations: Operation[]): Set<string> {
  const answers = operations.flatMap(({ responses }) => Object.entries(responses).filter(([status]) => Number(status) >= 400))
  return new Set(answers.flatMap(([, { content }]) => {
    const schema = resolved(document, content?.['application/json']?.schema ?? {})
    return (schema.properties?.code?.enum ?? []) as string[]
  }))
}
