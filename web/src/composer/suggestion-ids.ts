/** The box says by these which list belongs to it and what of it is chosen. */
export const suggestionsId = 'suggestions'
export const suggestionId = (at: number): string => `suggestion-${at}`
