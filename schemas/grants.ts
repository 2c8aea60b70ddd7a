import { Type } from '@sinclair/typebox'
import { Closed } from './common.js'

const Grant = Closed({
  pattern_key: Type.String({
    description: 'what the agent may do without asking, as in approvals, such as cmd:git push; * stands for any text'
  })
})

export const GrantList = Closed({
  grants: Type.Array(Grant, { description: 'in the order of approvals.allow in config.yaml' })
}, { title: 'GrantList' })
export const RevokeGrant = Type.Object({ pattern_key: Type.String({ minLength: 1, maxLength: 2_000 }) })
export const GrantRevoked = Closed({ ok: Type.Literal(true), grants: Type.Array(Grant) }, { title: 'GrantRevoked' })
