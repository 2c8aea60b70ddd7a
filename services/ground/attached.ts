/** A message with the names of its files behind it, as models are told of them. Clients may have put the marker into the text already. */
export function withAttachmentNames (text: string, attachments: ReadonlyArray<{ name: string, path?: string }>): string {
  if (attachments.length === 0 || text.includes('[Attached files:')) return text
  return `${text}\n\n[Attached files: ${attachments.map(({ name, path = '' }) => path === '' ? name : path).join(', ')}]`
}
