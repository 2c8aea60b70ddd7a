/** Whether a value has fields with names, as an object of JSON has: neither null nor a list. */
export const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The fields of a value that came from outside, each to be looked at before it is used; none where it is no object. */
export const fieldsOf = (value: unknown): Record<string, unknown> => isRecord(value) ? value : {}
