import { nameOf, onlyKnown, shapeOf, type Answer, type Content, type InterfaceDocument, type Operation, type Schema } from './wire-shapes.js'

interface Member { key: string, type: string, isOptional?: boolean, words?: string[] }

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const
const places = ['query', 'header', 'path', 'cookie'] as const
const never = (key: string): Member => ({ key, type: 'never', isOptional: true })

/**
 * Returns the TypeScript types of an OpenAPI document, in the form that several client generators share: `paths`, `components` and
 * `operations`. Throws an Error for what wire-shapes.ts does not know.
 */
export function typescriptTypes (document: string): string {
  const { paths, components: { schemas = {}, responses = {} } = {} } = JSON.parse(document) as InterfaceDocument
  const operations = Object.entries(paths).flatMap(([path, item]) => {
    onlyKnown(item, methods, path)
    return Object.entries(item).map(([method, operation]) => ({ path, method, id: operation.operationId ?? `${method} ${path}`, operation }))
  })
  return [
    exported('paths', Object.keys(paths).map((path) => ({
      key: path,
      type: block([parametersOf([], path), ...methods.map((method) => {
        const found = operations.find((one) => one.path === path && one.method === method)
        if (found === undefined) return never(method)
        const words = [found.operation.summary, found.operation.description].filter((text) => text !== undefined)
        return { key: method, type: `operations[${JSON.stringify(found.id)}]`, words: [words.join('\n\n')] }
      })])
    }))),
    exported('components', [
      { key: 'schemas', type: block(Object.entries(schemas).map(([name, schema]) => memberOf(name, schema, true, name))) },
      { key: 'responses', type: block(Object.entries(responses).map(([name, answer]) => answerOf(name, answer, name))) }
    ]),
    exported('operations', operations.map(({ id, operation }) => ({ key: id, type: block(operationOf(operation, id)) })))
  ].join('\n')
}

function operationOf (operation: Operation, at: string): Member[] {
  const { parameters = [], requestBody, responses } = operation
  onlyKnown(operation, [
    'operationId', 'summary', 'description', 'tags', 'security', 'x-token-scope', 'parameters', 'requestBody', 'responses', 'callbacks'
  ], at)
  if (requestBody !== undefined) onlyKnown(requestBody, ['required', 'description', 'content'], `${at} requestBody`)
  return [
    parametersOf(parameters, at),
    requestBody === undefined
      ? never('requestBody')
      : {
          key: 'requestBody', isOptional: requestBody.required !== true, words: wordsOf(requestBody),
          type: block([{ key: 'content', type: block(contentOf(requestBody.content, `${at} requestBody`)) }])
        },
    { key: 'responses', type: block(Object.entries(responses).map(([status, answer]) => answerOf(status, answer, `${at} ${status}`))) }
  ]
}

function parametersOf (parameters: NonNullable<Operation['parameters']>, at: string): Member {
  for (const one of parameters) {
    onlyKnown(one, ['name', 'in', 'required', 'description', 'schema'], `${at} ${one.name}`)
    onlyKnown({ [one.in]: one }, places, `${at} ${one.name}`)
  }
  return {
    key: 'parameters',
    type: block(places.map((place) => {
      const here = parameters.filter((one) => one.in === place)
      const members = here.map(({ name, schema = {}, required = false, description }) =>
        ({ ...memberOf(name, schema, required, `${at} ${name}`), words: wordsOf({ ...schema, description }) }))
      if (here.length === 0) return never(place)
      return { key: place, type: block(members), isOptional: members.every(({ isOptional }) => isOptional === true) }
    }))
  }
}

function answerOf (key: string, answer: Answer, at: string): Member {
  onlyKnown(answer, ['$ref', 'description', 'content'], at)
  if (answer.$ref !== undefined) {
    return { key, type: `components["responses"][${JSON.stringify(nameOf(answer.$ref, '#/components/responses/', at))}]` }
  }
  const { content } = answer
  return {
    key, words: wordsOf(answer),
    type: block([
      { key: 'headers', type: '{ [name: string]: unknown }' },
      content === undefined ? never('content') : { key: 'content', type: block(contentOf(content, at)) }
    ])
  }
}

const contentOf = (content: Content, at: string): Member[] => Object.entries(content).map(([type, media]) => {
  onlyKnown(media, ['schema', 'example'], `${at} ${type}`)
  return { key: type, type: typeOf(media.schema ?? {}, `${at} ${type}`) }
})

const memberOf = (key: string, schema: Schema, isRequired: boolean, at: string): Member =>
  ({ key, type: typeOf(schema, at), isOptional: !isRequired, words: wordsOf(schema) })

function typeOf (schema: Schema, at: string): string {
  const shape = shapeOf(schema, at)
  switch (shape.is) {
    case 'anything': return 'unknown'
    case 'string': case 'boolean': case 'null': return shape.is
    case 'integer': case 'number': return 'number'
    case 'named': return `components["schemas"][${JSON.stringify(shape.name)}]`
    case 'literal': return shape.values.map((value) => JSON.stringify(value)).join(' | ')
    case 'union': return [...new Set(shape.parts.map((part) => typeOf(part, at)))].join(' | ')
    case 'list': return `Array<${typeOf(shape.items, `${at}[]`)}>`
    case 'object': {
      const members = Object.entries(shape.properties ?? {}).map(([key, inner]) =>
        memberOf(key, inner, shape.required.includes(key), `${at}.${key}`))
      const others = shape.others === null ? [] : [`{ [key: string]: ${typeOf(shape.others, `${at}.*`)} }`]
      return [...(members.length === 0 ? [] : [block(members)]), ...others].join(' & ') || 'Record<string, never>'
    }
  }
}

const wordsOf = ({ description = '', default: usual }: { description?: string | undefined, default?: unknown }): string[] =>
  [...(description === '' ? [] : [description]), ...(usual === undefined ? [] : [`@default ${JSON.stringify(usual)}`])]

const exported = (name: string, members: Member[]): string => `export interface ${name} ${block(members)}\n`
const block = (members: Member[]): string => members.length === 0 ? '{}' : `{\n${members.map(written).join('\n').replaceAll(/^(?=.)/gm, '  ')}\n}`
const written = ({ key, type, isOptional = false, words = [] }: Member): string =>
  `${comment(words)}${/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)}${isOptional ? '?' : ''}: ${type}`

function comment (words: string[]): string {
  const lines = words.join('\n').replaceAll('*/', '*\\/').split('\n')
  if (lines.length > 1) return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
  return lines[0] === '' ? '' : `/** ${lines[0]} */\n`
}
