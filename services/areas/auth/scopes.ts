/** What a token may do, from the least to the most; each holds those before it. */
const tokenScopes = ['read', 'chat', 'approve', 'admin'] as const
export type TokenScope = typeof tokenScopes[number]

/** What a route asks of a token. `person`: no token is enough, only who has signed in; `console`: only a program on the machine. */
export type RouteScope = TokenScope | 'person' | 'console'

/** How things are shown to somebody. A person may do everything, also where nobody signs in. */
export interface Onlooker {
  /** Gets back what was typed into conversations as it was typed. */
  mayType: boolean
  /** Sees what follows from the answer to a prompt. */
  mayDecide: boolean
  /** Sees what can be changed as it would be saved. */
  mayChange: boolean
}

/** Who asks, by the scope: a token has one, a person none; null where nobody signs in. `console`: a program on the machine. */
type Scoped = { readonly scope?: TokenScope, readonly via?: string } | null

/**
 * Whether somebody may do what asks for `wanted`: a person everything but what is the console's, a token what its scope covers.
 * The one rule of all that depends on scopes.
 */
export function mayUse (who: Scoped, wanted: RouteScope): boolean {
  if (wanted === 'console') return who?.via === 'console'
  return who?.scope === undefined || covers(who.scope, wanted)
}

export function readerOf (who: Scoped): Onlooker {
  const may = (wanted: TokenScope): boolean => mayUse(who, wanted)
  return { mayType: may('chat'), mayDecide: may('approve'), mayChange: may('admin') }
}

/** Whether a token with the scope `held` may do what asks for `wanted`. */
export function covers (held: TokenScope, wanted: RouteScope): boolean {
  return wanted !== 'person' && wanted !== 'console' && tokenScopes.indexOf(held) >= tokenScopes.indexOf(wanted)
}
