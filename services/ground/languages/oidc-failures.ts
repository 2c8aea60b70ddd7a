/** Codes in the address bar for why a sign-in failed. The sign-in page accepts no others. */
export const oidcFailures = [
  'oidc_unavailable', 'oidc_refused', 'oidc_unverified', 'oidc_cancelled', 'oidc_expired', 'oidc_failed', 'oidc_busy'
] as const
export type OidcFailure = typeof oidcFailures[number]
