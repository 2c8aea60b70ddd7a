/** The ids by which the box names its list of suggestions and the chosen one. */
export const suggestionsId = 'suggestions'
export const suggestionId = (at: number): string => `suggestion-${at}`
