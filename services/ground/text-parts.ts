const textKinds: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text'])

/**
 * Whether a part of a message, or its kind, is text that everybody shows as what was said. What else may carry a text
 * is an attachment or a note to one program.
 */
export const isTextKind = (type: unknown): boolean => type === undefined || textKinds.has(type)
