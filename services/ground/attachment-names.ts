/**
 * Returns a message followed by the names of its files, as models are told of them. Clients may have put the marker into the text already.
 */
export function withAttachmentNames (text: string, attachments: ReadonlyArray<{ name: string, path?: string }>): string {
  if (attachments.length === 0 || text.includes('[Attached files:')) return text
  return `${text}\n\n[Attached files: ${attachments.map(({ name, path = '' }) => path === '' ? name : path).join(', ')}]`
}

const mark = '[Attached files: '

/**
 * Returns a message without the names of its files at its end. Clients do not show the names there when they show the files beside the
 * message, so code that reads messages written by other programs takes the names from the files instead.
 */
export function withoutAttachmentNames (text: string): string {
  const end = text.trimEnd()
  const at = end.endsWith(']') ? end.indexOf(mark, end.lastIndexOf(']', end.length - 2) + 1) : -1
  return at === -1 ? text : end.slice(0, at).trimEnd()
}
