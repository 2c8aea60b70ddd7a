/** Why nobody was signed in, in the words of the address bar: the only ones that the sign-in page takes. */
export const oidcFailures = ['oidc_unavailable', 'oidc_refused', 'oidc_unverified', 'oidc_cancelled', 'oidc_expired', 'oidc_failed', 'oidc_busy'] as const
export type OidcFailure = typeof oidcFailures[number]

const explanations: Record<OidcFailure, (name: string) => string> = {
  oidc_unavailable: (name) => `${name} cannot be reached at the moment. Try again, or sign in another way.`,
  oidc_refused: (name) => `You are known to ${name}, but this service does not let your account in.`,
  oidc_unverified: (name) => `${name} has not verified your e-mail address, so it does not count here.`,
  oidc_cancelled: (name) => `${name} did not let you through, or you went back. Try again.`,
  oidc_expired: () => 'This sign-in has expired, was used already, or was begun in another browser. Try again.',
  oidc_failed: (name) => `What ${name} answered could not be trusted. Try again.`,
  oidc_busy: () => 'Too many attempts. Try again in a minute.'
}

/** For the person at the sign-in page; null for what is no failure of ours. */
export function explainOidcFailure (failure: string | undefined, name: string): string | null {
  const known = oidcFailures.find((each) => each === failure)
  return known === undefined ? null : explanations[known](name)
}
