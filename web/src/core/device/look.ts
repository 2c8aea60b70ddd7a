const aYearS = 31_536_000

/**
 * Tells the sign-in page its language and theme. The service makes that page and knows nothing of this device, so cookies of that page
 * alone tell it.
 */
export function tellSignInPage (name: 'app_language' | 'app_theme', value: string): void {
  document.cookie = `${name}=${value}; path=/login; max-age=${aYearS}; samesite=lax`
}
