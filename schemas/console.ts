import { Type } from '@sinclair/typebox'
import { Closed, Nullable, OneOf, Seconds } from './common.js'

/** Schemas for programs on the service's machine (plugins/ground/console.ts), which are not part of the API for clients. */
export const ConsoleStatus = Closed({
  version: Type.String(),
  pid: Type.Integer(),
  node: Type.String(),
  uptime_seconds: Type.Number(),
  started_by: Nullable(OneOf(['systemd', 'launchd', 'container', 'pm2', 'supervisord']), 'who starts it again; null: nobody'),
  host: Type.String({ description: 'the address that it listens on' }),
  port: Type.Integer(),
  allowed_origins: Type.Array(Type.String()),
  sign_in: Type.Array(OneOf(['password', 'passkey', 'oidc', 'proxy']), { description: 'ways to sign in; empty: open to whoever reaches it' }),
  active_turns: Type.Integer(),
  waiting: Closed({
    approvals: Type.Integer(),
    questions: Type.Integer(),
    limits: Type.Optional(Type.Integer({ description: 'turns that wait for the limit of a provider, which are not among active_turns. Absent: an earlier version' }))
  })
}, { title: 'ConsoleStatus' })

export const Stopping = Closed({ ok: Type.Literal(true), pid: Type.Integer() }, { title: 'Stopping' })

export const ResetPassword = Type.Object({ password: Type.String({ minLength: 1 }) })

const SignIn = Closed({
  id: Type.String({ description: '`actor.id` in the audit log' }),
  method: OneOf(['password', 'passkey', 'oidc']),
  created_at: Seconds(),
  expires_at: Seconds(),
  user_agent: Nullable(Type.String())
}, { title: 'SignIn' })
export const SignIns = Closed({ sign_ins: Type.Array(SignIn, { description: 'newest first' }) }, { title: 'SignIns' })
export const RevokeSignIns = Type.Object({
  ids: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 1_000 })),
  all: Type.Optional(Type.Boolean())
})
export const SignInsRevoked = Closed({ ok: Type.Literal(true), revoked: Type.Array(Type.String()) }, { title: 'SignInsRevoked' })
