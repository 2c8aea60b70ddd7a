import { Type } from '@sinclair/typebox'
import { reasonCodes } from '../reasons/index.js'
import { Closed, OneOf } from './common.js'

const said = {
  code: OneOf(reasonCodes, 'names the sentence; its codes and their parameters stay as they are. A client shows `description` where it does not know one'),
  params: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
    description: 'what the sentence names, such as a file or a host: by names that belong to the code'
  })
}

/** A sentence of the service with its code, for clients that show it in another language. */
export const WireReason = Closed({
  ...said,
  details: Type.Optional(Type.Array(Closed(said, { title: 'ReasonDetail' }), { description: 'what the sentence lists, in its order' }))
}, { title: 'Reason' })
