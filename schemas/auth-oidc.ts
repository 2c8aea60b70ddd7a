import { Type } from '@sinclair/typebox'

export const OidcLoginQuery = Type.Object({
  next: Type.Optional(Type.String({ description: 'path of this service to return to after the sign-in' }))
})

/** The query that the provider adds to the address; it may add more, and may send an error instead of a code. */
export const OidcCallbackQuery = Type.Object({
  state: Type.Optional(Type.String({ maxLength: 200 })),
  code: Type.Optional(Type.String({ maxLength: 8192 })),
  iss: Type.Optional(Type.String({ maxLength: 2048 })),
  error: Type.Optional(Type.String({ maxLength: 200 }))
})

/** A redirect; the address is in the Location header. */
export const Redirected = Type.Null({ description: 'redirects to the provider, to the requested page, or to the sign-in page with the reason' })
