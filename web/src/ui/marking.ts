/** Splits a text at the search words: every second piece is one of them. */
export function inMarks (text: string, sought: string): string[] {
  const searched = sought.trim().split(/\s+/).filter((word) => word !== '').map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return searched.length === 0 ? [text] : text.split(new RegExp(`(${searched.join('|')})`, 'iu'))
}
