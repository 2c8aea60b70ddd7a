const maxPartChars = 80

/**
 * Returns `<prefix>-<session id>.<extension>` of ASCII letters, digits, dots, dashes and underscores, which needs no escaping in a header.
 */
export function exportFileName (prefix: string, sessionId: string, extension: 'json' | 'html'): string {
  return `${plain(prefix) || 'session'}-${plain(sessionId) || 'export'}.${extension}`
}

function plain (text: string): string {
  // Separates accents from their letters, to keep the letters.
  const ascii = text.slice(0, 4 * maxPartChars).normalize('NFKD').replace(/\p{M}/gu, '').replace(/[^A-Za-z0-9._-]+/g, '-')
  return ascii.replace(/^[.-]+/, '').slice(0, maxPartChars).replace(/[.-]+$/, '')
}
