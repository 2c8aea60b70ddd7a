/** What a token may do, from the least to the most; each holds those before it. */
export const tokenScopes = ['read', 'chat', 'approve', 'admin'] as const
export type TokenScope = typeof tokenScopes[number]

/** What a route asks of a token. `person`: no token is enough, only somebody who has signed in. */
export type RouteScope = TokenScope | 'person'

/** How prompts are shown to somebody: whoever may answer one sees what follows from it. A person may, also where nobody signs in. */
export function readerOf (operator: { readonly scope?: TokenScope } | null): { mayDecide: boolean } {
  return { mayDecide: operator?.scope === undefined || covers(operator.scope, 'approve') }
}

/** Whether a token with the scope `held` may do what asks for `wanted`. A route that says nothing is for persons. */
export function covers (held: TokenScope, wanted: RouteScope = 'person'): boolean {
  return wanted !== 'person' && tokenScopes.indexOf(held) >= tokenScopes.indexOf(wanted)
}
