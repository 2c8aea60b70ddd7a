const aYearS = 31_536_000

/**
 * The page to sign in is made by the service, which knows nothing of this device: it is told how to speak and
 * look by cookies that nothing else is sent.
 */
export function tellSignInPage (name: 'app_language' | 'app_theme', value: string): void {
  document.cookie = `${name}=${value}; path=/login; max-age=${aYearS}; samesite=lax`
}
