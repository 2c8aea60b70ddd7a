import { firstCharacters } from '../../ground/redaction/index.js'

const titleChars = 60

/** The beginning of a text for a title; a character is never cut in two. */
export function beginning (text: string): string {
  return firstCharacters(text, titleChars)
}
