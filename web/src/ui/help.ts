/** Returns the address of the documentation that the service serves; of an error with a code, that of the row that says what to do. */
export const helpPage = (code?: string | null): string =>
  code == null ? '/help/index.html' : `/help/troubleshooting.html#${encodeURIComponent(code)}`
