/** Fills the `{{name}}` places of a page with values as text: none of them can become markup. */
export function fillPage (page: string, values: Record<string, string>): string {
  return page.replace(/\{\{(\w+)\}\}/g, (_, name: string) => escapeHtml(values[name] ?? ''))
}

export function escapeHtml (text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
