import { firstCharacters } from '../../ground/redaction/index.js'

const titleChars = 60

/** Returns the beginning of a text for a title, without cutting a character in two. */
export function beginning (text: string): string {
  return firstCharacters(text, titleChars)
}
