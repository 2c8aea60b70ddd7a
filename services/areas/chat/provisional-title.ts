import { firstCharacters } from '../../ground/redaction/index.js'

const provisionalChars = 64

/** The title until the automatic one: the message's beginning, without the marker of attached files. */
export function provisionalTitle (message: string): string {
  const text = message.replace(/\[Attached files:[\s\S]*?\]/g, '').replaceAll(/\s+/g, ' ').trim() || attachedName(message)
  return firstCharacters(text, provisionalChars).trim()
}

/** A message that is nothing but files is called after the first of them. */
function attachedName (message: string): string {
  const [, path = ''] = /\[Attached files:([^\],]*)/.exec(message) ?? []
  return path.split('/').findLast((part) => part !== '')?.trim() ?? ''
}
