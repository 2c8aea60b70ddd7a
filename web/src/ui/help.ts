/** Returns the address of a page of the documentation. */
export const helpOn = (page: 'machines' | 'phone'): string => `/help/${page}.html`

/** Returns the address of the documentation that the service serves; for an error code, the address of the row that says what to do. */
export const helpPage = (code?: string | null): string =>
  code == null ? '/help/index.html' : `/help/troubleshooting.html#${encodeURIComponent(code)}`
