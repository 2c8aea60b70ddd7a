/** Whether a text has values that the service masks. */
export const isMasked = (text: string): boolean => text.includes('[redacted]')
