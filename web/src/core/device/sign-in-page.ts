const aYearS = 31_536_000

/**
 * Tells the sign-in page its language and theme. The service renders that page and knows nothing of this device, so cookies for that page
 * alone carry them.
 */
export function tellSignInPage (name: 'app_language' | 'app_theme', value: string): void {
  document.cookie = `${name}=${value}; path=/login; max-age=${aYearS}; samesite=lax`
}
