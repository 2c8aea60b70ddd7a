import { Type } from '@sinclair/typebox'
import { Closed } from './common.js'

export const AuthStatus = Closed({
  authenticated: Type.Boolean({ description: 'the credentials of this request are good, or none are needed' }),
  password_required: Type.Boolean({ description: 'the same as auth_enabled' }),
  auth_enabled: Type.Boolean({ description: 'there is a gate' }),
  logged_in: Type.Boolean({ description: 'there is a gate and this request passes it' }),
  password_auth_enabled: Type.Boolean({ description: 'one can sign in with a password' }),
  passkeys_enabled: Type.Boolean(),
  passwordless_enabled: Type.Boolean(),
  csrf_token: Type.String({ description: 'what a browser sends as X-Svc-CSRF-Token; empty when none is needed' })
}, { title: 'AuthStatus', $id: 'AuthStatus' })

/** The password may be missing only where there is no gate; whether that is so is not for a schema to know. */
const Credentials = Type.Object({ password: Type.Optional(Type.String({ maxLength: 4096 })) })
export const Login = Type.Union([Credentials, Type.Null()])

export const LoginForm = Type.Object({
  password: Type.Optional(Type.String({ maxLength: 4096 })),
  next: Type.Optional(Type.String())
})
export const LoginPageQuery = Type.Object({ next: Type.Optional(Type.String()) })

export const LoggedIn = Closed({ ok: Type.Literal(true), message: Type.Optional(Type.String()) }, { title: 'LoggedIn' })
export const LoggedOut = Closed({ ok: Type.Literal(true) }, { title: 'LoggedOut' })
