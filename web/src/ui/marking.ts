/** Splits a text at the words that were searched for: every other piece, from the second, is one of them. */
export function inMarks (text: string, sought: string): string[] {
  const searched = sought.trim().split(/\s+/).filter((word) => word !== '').map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return searched.length === 0 ? [text] : text.split(new RegExp(`(${searched.join('|')})`, 'iu'))
}
