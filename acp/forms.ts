import { type ElicitationPropertySchema } from '@agentclientprotocol/sdk'
import { type Wire } from '../clients/typescript/src/index.js'

type Field = NonNullable<Wire<'PendingClarification'>['form']>['fields'][number]

const limitKeys = {
  string: ['minLength', 'maxLength'], number: ['minimum', 'maximum'], integer: ['minimum', 'maximum'], array: ['minItems', 'maxItems'],
  boolean: []
} as const

/** A field of a form as the schema that an editor makes its own form of. */
export function schemaOf ({ type, title, description, options, format, min, max, default: usual }: Field): ElicitationPropertySchema {
  const [least, most] = limitKeys[type]
  const named = options?.map(({ value, title }) => ({ const: value, title }))
  // Which keys a type has is in the table above, and in no type.
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
