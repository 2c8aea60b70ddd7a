/** Whether a text has values that the service does not show. */
export const isMasked = (text: string): boolean => text.includes('[redacted]')
