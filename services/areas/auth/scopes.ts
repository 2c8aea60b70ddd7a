/** The scopes of tokens, from the least to the most; each includes those before it. */
const tokenScopes = ['read', 'chat', 'approve', 'admin'] as const
export type TokenScope = typeof tokenScopes[number]

/**
 * What a route requires of a token. `person`: no token is enough, only a person who has signed in. `console`: only a program on the
 * machine.
 */
export type RouteScope = TokenScope | 'person' | 'console'

/** What a viewer may see. A person may see everything, also on a service without sign-in. */
export interface Onlooker {
  /** Whether text that was typed into conversations is shown as it was typed. */
  mayType: boolean
  /** Whether the consequences of answering a prompt are shown. */
  mayDecide: boolean
  /** Whether editable values are shown as they would be saved. */
  mayChange: boolean
}

/** The requester by scope: a token has one, a person none; null on a service without sign-in. `console`: a program on the machine. */
type Scoped = { readonly scope?: TokenScope, readonly via?: string } | null

/**
 * Whether the requester may do what requires `wanted`: a person everything except what needs the console, a token what its scope covers.
 * All checks of scopes use this rule.
 */
export function mayUse (who: Scoped, wanted: RouteScope): boolean {
  if (wanted === 'console') return who?.via === 'console'
  return who?.scope === undefined || covers(who.scope, wanted)
}

export function readerOf (who: Scoped): Onlooker {
  const may = (wanted: TokenScope): boolean => mayUse(who, wanted)
  return { mayType: may('chat'), mayDecide: may('approve'), mayChange: may('admin') }
}

/** Whether a token with the scope `held` may do what requires `wanted`. */
export function covers (held: TokenScope, wanted: RouteScope): boolean {
  return wanted !== 'person' && wanted !== 'console' && tokenScopes.indexOf(held) >= tokenScopes.indexOf(wanted)
}
