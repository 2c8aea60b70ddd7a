interface Response { description: string, content?: Record<string, { schema?: { $ref?: string } }> }
interface Operation { responses?: Record<string, Response | { $ref: string }> }
interface Document { paths?: object, components?: object }

/**
 * Returns an OpenAPI document in which every schema with a title appears once, under that title, and so does every error answer; both are
 * referenced where they are used. Throws if two schemas have the same name.
 */
export function named<T extends Document> (document: T): T {
  const schemas: Record<string, unknown> = {}
  const responses: Record<string, unknown> = {}

  function place (node: unknown): unknown {
    if (Array.isArray(node)) return node.map(place)
    if (typeof node !== 'object' || node === null) return node
    const { title, ...rest } = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, place(value)]))
    if (typeof title !== 'string') return title === undefined ? rest : { title, ...rest }
    if (schemas[title] !== undefined && JSON.stringify(schemas[title]) !== JSON.stringify(rest)) {
      throw new Error(`Two schemas have the title ${title}`)
    }
    schemas[title] = rest
    return { $ref: `#/components/schemas/${title}` }
  }

  function share (status: string, response: Response | { $ref: string }): Response | { $ref: string } {
    const name = Number(status) < 400 || '$ref' in response
      ? undefined
      : response.content?.['application/json']?.schema?.$ref?.split('/').at(-1)
    if (name === undefined) return response
    responses[name] ??= response
    return JSON.stringify(responses[name]) === JSON.stringify(response) ? { $ref: `#/components/responses/${name}` } : response
  }

  const paths = place(document.paths) as Record<string, Record<string, Operation>>
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    if (operation.responses !== undefined) {
      operation.responses = Object.fromEntries(
        Object.entries(operation.responses).map(([status, response]) => [status, share(status, response)])
      )
    }
  }
  return { ...document, paths, components: { ...document.components, schemas: sorted(schemas), responses: sorted(responses) } }
}

const sorted = (parts: Record<string, unknown>) => Object.fromEntries(Object.entries(parts).sort(([one], [other]) => one < other ? -1 : 1))
