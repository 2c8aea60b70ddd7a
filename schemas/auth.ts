import { Type } from '@sinclair/typebox'
import { Closed, Nullable } from './common.js'

/** How a person signs in, as both the status and the settings show it. */
export const accessFields = {
  auth_enabled: Type.Boolean({ description: 'sign-in is required' }),
  logged_in: Type.Boolean({ description: 'sign-in is required, and this request is signed in' }),
  password_auth_enabled: Type.Boolean({ description: 'a password can be used to sign in' }),
  passkeys_enabled: Type.Boolean({ description: 'a passkey can be used to sign in' }),
  passkeys_count: Type.Integer(),
  passkey_feature_flag: Type.Boolean({ description: 'passkeys are switched on' }),
  passwordless_enabled: Type.Boolean({ description: 'passkeys are accepted, passwords are not' }),
  oidc_enabled: Type.Boolean({ description: 'OpenID Connect can be used to sign in' }),
  oidc_name: Nullable(Type.String(), 'name of the identity provider, for a button'),
  auth_disabled_acknowledged: Type.Boolean({ description: 'a person has acknowledged that no sign-in is required' })
}

export const TokenScopeName = Type.Union([Type.Literal('read'), Type.Literal('chat'), Type.Literal('approve'), Type.Literal('admin')], {
  description: 'what a token may do; each scope includes those before it'
})

export const AuthStatus = Closed({
  authenticated: Type.Boolean({ description: 'the credentials of this request are valid, or none are needed' }),
  password_required: Type.Boolean({ description: 'the same as auth_enabled' }),
  ...accessFields,
  token_scope: Nullable(TokenScopeName, 'scope of the token of this client; null: everything is allowed'),
  csrf_token: Type.String({ description: 'value that a browser sends as X-Svc-CSRF-Token; empty if none is needed' })
}, { title: 'AuthStatus', $id: 'AuthStatus' })

/** How many characters a password has at most: people cannot sign in with a longer one. */
export const longestPassword = 4096

/** The password may only be missing if no sign-in is needed, which a schema cannot know. */
const Credentials = Type.Object({ password: Type.Optional(Type.String({ maxLength: longestPassword })) })
export const Login = Type.Union([Credentials, Type.Null()])

export const LoginForm = Type.Object({
  password: Type.Optional(Type.String({ maxLength: longestPassword })),
  next: Type.Optional(Type.String())
})
export const LoginPageQuery = Type.Object({ next: Type.Optional(Type.String()), error: Type.Optional(Type.String()) })

export const LoggedIn = Closed({ ok: Type.Literal(true), message: Type.Optional(Type.String()) }, { title: 'LoggedIn' })
export const LoggedOut = Closed({ ok: Type.Literal(true) }, { title: 'LoggedOut' })
