/** Fills the `{{name}}` places of a page with values as text: none of them can become markup. */
export function fillPage (page: string, values: Record<string, string>): string {
  return page.replace(/\{\{(\w+)\}\}/g, (_, name: string) => escapeHtml(values[name] ?? ''))
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text, for use between tags and in quoted attributes. */
export function escapeHtml (text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}
