/** Why nobody was signed in, in the words of the address bar: the only ones that the sign-in page takes. */
export const oidcFailures = [
  'oidc_unavailable', 'oidc_refused', 'oidc_unverified', 'oidc_cancelled', 'oidc_expired', 'oidc_failed', 'oidc_busy'
] as const
export type OidcFailure = typeof oidcFailures[number]
