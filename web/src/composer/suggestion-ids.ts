/** The ids by which the box refers to its list of suggestions and the chosen one. */
export const suggestionsId = 'suggestions'
export const suggestionId = (at: number): string => `suggestion-${at}`
