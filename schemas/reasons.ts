import { Type } from '@sinclair/typebox'
import { reasonCodes } from '../reasons/index.js'
import { Closed, OneOf } from './common.js'

const said = {
  code: OneOf(
    reasonCodes,
    'name of the sentence; codes and their parameters never change. Clients show `description` for a code that they do not know'
  ),
  params: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
    description: 'what the sentence mentions, such as a file or a host; the names belong to the code'
  })
}

/** A sentence of the service with its code, for clients that show it in another language. */
export const WireReason = Closed({
  ...said,
  details: Type.Optional(Type.Array(Closed(said, { title: 'ReasonDetail' }), { description: 'what the sentence lists, in order' }))
}, { title: 'Reason' })
