import { type ElicitationPropertySchema } from '@agentclientprotocol/sdk'
import { type Wire } from '../clients/typescript/src/index.js'

type Field = NonNullable<Wire<'PendingClarification'>['form']>['fields'][number]

const limitKeys = {
  string: ['minLength', 'maxLength'], number: ['minimum', 'maximum'], integer: ['minimum', 'maximum'], array: ['minItems', 'maxItems'],
  boolean: []
} as const

/** Returns the schema of a form's field, from which an editor makes its own form. */
export function schemaOf ({ type, title, description, options, format, min, max, default: usual }: Field): ElicitationPropertySchema {
  const [least, most] = limitKeys[type]
  const named = options?.map(({ value, title }) => ({ const: value, title }))
  // The table above decides which keys a type has, so TypeScript cannot check them.
  return {
    type,
    title,
    ...(description !== '' && { description }),
    ...(named !== undefined && (type === 'array' ? { items: { anyOf: named } } : { oneOf: named })),
    ...(format !== undefined && { format }),
    ...(least !== undefined && min !== undefined && { [least]: min }),
    ...(most !== undefined && max !== undefined && { [most]: max }),
    ...(usual !== undefined && { default: usual })
  } as ElicitationPropertySchema
}
