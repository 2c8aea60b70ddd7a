/** The result of a tool, as text for models and as values for programs. */
export const toolResult = (value: Record<string, unknown>) =>
  ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }], structuredContent: value })
