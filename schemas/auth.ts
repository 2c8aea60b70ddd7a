import { Type } from '@sinclair/typebox'
import { Closed, Nullable } from './common.js'

/** How one signs in, as the status and the settings both tell it. */
export const accessFields = {
  auth_enabled: Type.Boolean({ description: 'there is a gate' }),
  logged_in: Type.Boolean({ description: 'there is a gate and this request passes it' }),
  password_auth_enabled: Type.Boolean({ description: 'one can sign in with a password' }),
  passkeys_enabled: Type.Boolean({ description: 'one can sign in with a passkey' }),
  passkeys_count: Type.Integer(),
  passkey_feature_flag: Type.Boolean({ description: 'passkeys are switched on' }),
  passwordless_enabled: Type.Boolean({ description: 'passkeys are taken and passwords are not' }),
  oidc_enabled: Type.Boolean({ description: 'one can sign in with OpenID Connect' }),
  oidc_name: Nullable(Type.String(), 'what to call that on a button'),
  auth_disabled_acknowledged: Type.Boolean({ description: 'a person has taken note that there is no gate' })
}

export const TokenScopeName = Type.Union([Type.Literal('read'), Type.Literal('chat'), Type.Literal('approve'), Type.Literal('admin')], {
  description: 'what a token may do; each holds those before it'
})

export const AuthStatus = Closed({
  authenticated: Type.Boolean({ description: 'the credentials of this request are good, or none are needed' }),
  password_required: Type.Boolean({ description: 'the same as auth_enabled' }),
  ...accessFields,
  token_scope: Nullable(TokenScopeName, 'what this client may do where it is a device with a token; null: everything'),
  csrf_token: Type.String({ description: 'what a browser sends as X-Svc-CSRF-Token; empty when none is needed' })
}, { title: 'AuthStatus', $id: 'AuthStatus' })

/** The password may be missing only where there is no gate; whether that is so is not for a schema to know. */
const Credentials = Type.Object({ password: Type.Optional(Type.String({ maxLength: 4096 })) })
export const Login = Type.Union([Credentials, Type.Null()])

export const LoginForm = Type.Object({
  password: Type.Optional(Type.String({ maxLength: 4096 })),
  next: Type.Optional(Type.String())
})
export const LoginPageQuery = Type.Object({ next: Type.Optional(Type.String()), error: Type.Optional(Type.String()) })

export const LoggedIn = Closed({ ok: Type.Literal(true), message: Type.Optional(Type.String()) }, { title: 'LoggedIn' })
export const LoggedOut = Closed({ ok: Type.Literal(true) }, { title: 'LoggedOut' })
