import { markOf, type InterfaceDocument, type Schema } from './interface-changes.js'

type Described = Schema & { description?: string }

const simple: Readonly<Record<string, string>> = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' }
const keywords = new Set((
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is ' +
  'lambda nonlocal not or pass raise return try while with yield'
).split(' '))
const isName = (text: string): boolean => /^[A-Za-z_]\w*$/.test(text) && !text.startsWith('__') && !keywords.has(text)
const literal = (value: unknown): string => value === null ? 'None' : typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value)
const pascal = (text: string): string => text.split(/[^A-Za-z0-9]+/).filter((part) => part !== '').map((part) => part[0]!.toUpperCase() + part.slice(1)).join('')

/** The schemas of an OpenAPI document as types of Python: a TypedDict for each object, and an alias for everything else. */
export function pythonTypes (document: string): string {
  const { components = {} } = JSON.parse(document) as InterfaceDocument
  const schemas = components.schemas ?? {}
  const written: string[] = []
  const names = new Set(Object.keys(schemas))

  function define (name: string, schema: Described): void {
    if (schema.properties === undefined) {
      // In quotes, as it may be defined further down; as a Union, as texts cannot be joined by `|`.
      written.push(`${comment(schema)}${name}: TypeAlias = Union[${partsOf(schema, name).map((type) => JSON.stringify(type)).join(', ')}]`)
      return
    }
    const fields = Object.entries(schema.properties).map(([key, inner]): [string, string] => {
      const type = typeOf(inner, `${name}${pascal(key)}`)
      return [key, schema.required?.includes(key) === true ? type : `NotRequired[${type}]`]
    })
    written.push(fields.every(([key]) => isName(key))
      ? [`class ${name}(TypedDict):`, ...docstring(schema), ...fields.map(([key, type]) => `    ${key}: ${type}`), ...(fields.length === 0 ? ['    pass'] : [])].join('\n')
      : `${comment(schema)}${name} = TypedDict("${name}", {${fields.map(([key, type]) => `${JSON.stringify(key)}: ${JSON.stringify(type)}`).join(', ')}})`)
  }

  /** The type of a schema; an object inside another one gets a name of its own. */
  function typeOf (schema: Schema, name: string): string {
    if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`
    if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(', ')}]`
    if ((schema.anyOf ?? schema.oneOf) !== undefined) return joined(partsOf(schema, name))
    if (typeof schema.type === 'object') return joined(schema.type.map((type) => typeOf({ ...schema, type }, name)))
    if (schema.type === 'array') return `list[${schema.items === undefined ? 'Any' : typeOf(schema.items, `${name}Item`)}]`
    if (schema.properties !== undefined) {
      const own = unused(name)
      define(own, schema)
      return own
    }
    if (schema.type === 'object') {
      const values = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : Object.values(schema.patternProperties ?? {})[0]
      return `dict[str, ${values === undefined ? 'Any' : typeOf(values, `${name}Value`)}]`
    }
    return simple[schema.type ?? ''] ?? 'Any'
  }

  /** The types of which a value has one. */
  function partsOf (schema: Schema, name: string): string[] {
    const union = schema.$ref === undefined ? schema.anyOf ?? schema.oneOf : undefined
    return union?.map((one, index) => typeOf(one, `${name}${pascal(markOf(one) ?? String(index + 1))}`)) ?? [typeOf(schema, name)]
  }

  function unused (name: string): string {
    let own = name
    for (let number = 2; names.has(own); number++) own = `${name}${number}`
    names.add(own)
    return own
  }

  for (const [name, schema] of Object.entries(schemas)) define(name, schema)
  return [
    '"""The types of the interface, made from docs/openapi.json: `npm run openapi` writes them."""', '',
    'from __future__ import annotations', '',
    'from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, Union', '', '',
    written.join('\n\n\n'), ''
  ].join('\n')
}

const joined = (types: string[]): string => types.includes('Any') ? 'Any' : [...new Set(types)].join(' | ')
const docstring = ({ description }: Described): string[] => description === undefined || description === '' ? [] : [`    ${JSON.stringify(oneLine(description)).replace(/^"|"$/g, '"""')}`, '']
const comment = ({ description }: Described): string => description === undefined || description === '' ? '' : `# ${oneLine(description)}\n`
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')
