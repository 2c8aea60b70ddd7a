/** Texts for errors of the service by their `code`, made from its own sentence. Codes without a text show that sentence. */
export type ErrorTexts = Readonly<Record<string, (said: string) => string>>

/** The service speaks English, and its sentences name the file, branch or limit: they are shown as they come. */
export const errors: ErrorTexts = {}
