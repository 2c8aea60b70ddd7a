import { markOf } from './interface-changes.js'
import { shapeOf, type InterfaceDocument, type Schema } from './wire-shapes.js'

const simple = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' } as const
const keywords = new Set((
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is ' +
  'lambda nonlocal not or pass raise return try while with yield'
).split(' '))
const isName = (text: string): boolean => /^[A-Za-z_]\w*$/.test(text) && !text.startsWith('__') && !keywords.has(text)
const literal = (value: unknown): string => value === null ? 'None' : typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value)
const pascal = (text: string): string => text.split(/[^A-Za-z0-9]+/).filter((part) => part !== '').map((part) => part[0]!.toUpperCase() + part.slice(1)).join('')

/** Returns the schemas of an OpenAPI document as Python types: a TypedDict for each object, and an alias for everything else. */
export function pythonTypes (document: string): string {
  const { components = {} } = JSON.parse(document) as InterfaceDocument
  const schemas = components.schemas ?? {}
  const written: string[] = []
  const names = new Set(Object.keys(schemas))

  function define (name: string, schema: Schema): void {
    if (schema.properties === undefined) {
      // In quotes, because it may be defined further down; with Union, because strings cannot be joined by `|`.
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

  /** Returns the type of a schema; an object inside another one gets its own name. */
  function typeOf (schema: Schema, name: string): string {
    const shape = shapeOf(schema, name)
    switch (shape.is) {
      case 'anything': return 'Any'
      case 'named': return shape.name
      case 'literal': return `Literal[${shape.values.map(literal).join(', ')}]`
      case 'union': return joined(partsOf(schema, name))
      case 'list': return `list[${typeOf(shape.items, `${name}Item`)}]`
      case 'object': {
        if (shape.properties === null) return `dict[str, ${typeOf(shape.others ?? {}, `${name}Value`)}]`
        const own = unused(name)
        define(own, schema)
        return own
      }
      default: return simple[shape.is]
    }
  }

  /** Returns the alternatives of a type. */
  function partsOf (schema: Schema, name: string): string[] {
    const shape = shapeOf(schema, name)
    if (shape.is !== 'union') return [typeOf(schema, name)]
    return shape.parts.map((one, index) => typeOf(one, schema.anyOf === undefined ? name : `${name}${pascal(markOf(one) ?? String(index + 1))}`))
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
const docstring = ({ description }: Schema): string[] => description === undefined || description === '' ? [] : [`    ${JSON.stringify(oneLine(description)).replace(/^"|"$/g, '"""')}`, '']
const comment = ({ description }: Schema): string => description === undefined || description === '' ? '' : `# ${oneLine(description)}\n`
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')
