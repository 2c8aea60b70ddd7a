import { firstCharacters } from '../../ground/redaction/index.js'

const provisionalChars = 64
/** How much of a message is read at first, and how much text of it is enough to find credentials that reach into the title. */
const lookedChars = 16_384
const enoughChars = 4_096

/** Returns the title until there is an automatic one: the beginning of the message, without the marker of attached files. */
export function provisionalTitle (message: string): string {
  return firstCharacters(beginningWithText(message) || attachedName(message), provisionalChars).trim()
}

/** Returns the text of the message on one line, and of a long one only its beginning. */
function beginningWithText (message: string): string {
  for (let chars = lookedChars; ; chars *= 4) {
    const text = message.slice(0, chars).replace(/\[Attached files:[\s\S]*?\]/g, '').replaceAll(/\s+/g, ' ').trim()
    // A marker that is cut here is not the beginning of a text.
    if (chars >= message.length || (text.length >= enoughChars && !text.includes('[Attached files:'))) return text
  }
}

/** Returns the name of the first file, as the title of a message that consists of files only. */
function attachedName (message: string): string {
  const [, path = ''] = /\[Attached files:([^\],]*)/.exec(message) ?? []
  return path.split('/').findLast((part) => part !== '')?.trim() ?? ''
}
