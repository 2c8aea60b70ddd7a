const titleChars = 60

/** The beginning of a text for a title; a character is never cut in two. */
export function beginning (text: string): string {
  return [...text.slice(0, titleChars * 2)].slice(0, titleChars).join('')
}
