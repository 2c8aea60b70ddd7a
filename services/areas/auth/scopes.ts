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

export function readerOf (operator: { readonly scope?: TokenScope } | null): Onlooker {
  const scope = operator?.scope
  const may = (wanted: TokenScope): boolean => scope === undefined || covers(scope, wanted)
  return { mayType: may('chat'), mayDecide: may('approve'), mayChange: may('admin') }
}

/** Whether a token with the scope `held` may do what asks for `wanted`. A route that says nothing is for persons. */
export function covers (held: TokenScope, wanted: RouteScope = 'person'): boolean {
  return wanted !== 'person' && tokenScopes.indexOf(held) >= tokenScopes.indexOf(wanted)
}
