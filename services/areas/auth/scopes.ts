/** What a token may do, from the least to the most; each holds those before it. */
const tokenScopes = ['read', 'chat', 'approve', 'admin'] as const
export type TokenScope = typeof tokenScopes[number]

/** What a route asks of a token. `person`: no token is enough, only somebody who has signed in. */
export type RouteScope = TokenScope | 'person'

/** How things are shown to somebody. A person may do everything, also where nobody signs in. */
export interface Onlooker {
  /** Gets back what was typed into conversations as it was typed. */
  mayType: boolean
  /** Sees what follows from the answer to a prompt. */
  mayDecide: boolean
  /** Sees what can be changed as it would be saved. */
  mayChange: boolean
}

/** Who asks: a token has a scope, a person none; null where nobody signs in. */
type Asker = { readonly scope?: TokenScope } | null

/**
 * Whether somebody may do what asks for `wanted`: a person everything, a token what its scope covers.
 * The one rule of all that depends on scopes.
 */
export function mayUse (asker: Asker, wanted: RouteScope): boolean {
  return asker?.scope === undefined || covers(asker.scope, wanted)
}

export function readerOf (asker: Asker): Onlooker {
  const may = (wanted: TokenScope): boolean => mayUse(asker, wanted)
  return { mayType: may('chat'), mayDecide: may('approve'), mayChange: may('admin') }
}

/** Whether a token with the scope `held` may do what asks for `wanted`. */
export function covers (held: TokenScope, wanted: RouteScope): boolean {
  return wanted !== 'person' && tokenScopes.indexOf(held) >= tokenScopes.indexOf(wanted)
}
