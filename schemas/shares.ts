import { Type } from '@sinclair/typebox'
import { Closed, Count, Id, Seconds } from './common.js'
import { SessionRow } from './sessions.js'
import { htmlPage } from './sessions-files.js'

export const SharedPage = { description: 'the page', content: htmlPage }

export const ShareAnswer = Closed({
  ok: Type.Boolean(), share_id: Type.String({ description: 'id for revoking the page' }), token: Type.String(),
  path: Type.String({ description: 'address of the page; anyone who has it can read the page' }), created_at: Seconds()
}, { title: 'ShareAnswer' })
export const SharedSession = Closed({
  ok: Type.Boolean(),
  share: Closed({
    token: Type.String(), url: Type.String({ description: 'path of the page' }), title: Type.String(), message_count: Count(),
    created_at: Seconds(), updated_at: Seconds()
  }),
  session: SessionRow
}, { title: 'SharedSession' })
export const ShareList = Closed({
  shares: Type.Array(Closed({ share_id: Type.String(), title: Type.String(), created_at: Seconds() }))
}, { title: 'ShareList' })
export const RevokeBody = Type.Object({
  session_id: Id('session'), share_id: Type.Optional(Type.String({ description: 'the page to revoke; absent: all pages of the session' }))
})
export const Revoked = Closed({ ok: Type.Boolean(), revoked: Count() }, { title: 'Revoked' })

export const AllShares = Closed({
  shares: Type.Array(Closed({
    share_id: Type.String(), title: Type.String(), session_id: Type.String(), profile: Type.String(), created_at: Seconds()
  }))
}, { title: 'AllShares' })
export const RevokeShare = Type.Object({ share_id: Type.String({ minLength: 1, maxLength: 100 }) })
export const ShareRevoked = Closed({ ok: Type.Literal(true), share_id: Type.String() }, { title: 'ShareRevoked' })

export const SharesRevoked = Closed({ ok: Type.Boolean(), revoked: Count(), session: SessionRow }, { title: 'SharesRevoked' })
