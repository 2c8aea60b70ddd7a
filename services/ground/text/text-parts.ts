const textKinds: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text'])

/**
 * Whether a part of a message, judged by its kind, is text that every program shows as what was said. Other parts with a text are
 * attachments, or notes to one program.
 */
export const isTextKind = (type: unknown): boolean => type === undefined || textKinds.has(type)
