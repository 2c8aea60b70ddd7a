/** Whether a value has named fields, as a JSON object has: neither null nor a list. */
export const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the fields of a value from outside, each to be checked before use; none if it is no object. */
export const fieldsOf = (value: unknown): Record<string, unknown> => isRecord(value) ? value : {}
