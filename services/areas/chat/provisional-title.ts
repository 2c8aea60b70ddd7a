import { firstCharacters } from '../../ground/redaction/index.js'

const provisionalChars = 64

/** Returns the title until there is an automatic one: the beginning of the message, without the marker of attached files. */
export function provisionalTitle (message: string): string {
  const text = message.replace(/\[Attached files:[\s\S]*?\]/g, '').replaceAll(/\s+/g, ' ').trim() || attachedName(message)
  return firstCharacters(text, provisionalChars).trim()
}

/** Returns the name of the first file, as the title of a message that consists of files only. */
function attachedName (message: string): string {
  const [, path = ''] = /\[Attached files:([^\],]*)/.exec(message) ?? []
  return path.split('/').findLast((part) => part !== '')?.trim() ?? ''
}
