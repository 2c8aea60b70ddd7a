const letter = '[\\p{sc=Hebrew}\\p{sc=Arabic}\\p{sc=Syriac}\\p{sc=Thaana}\\p{sc=Nko}\\p{sc=Samaritan}\\p{sc=Mandaic}\\p{sc=Adlam}]'
/** Words of right-to-left scripts. */
const fromTheRight = new RegExp(`(${letter}(?:${letter}|\\p{M})*)`, 'u')

/** Splits a text into pieces: every second one reads from right to left. */
export const inRuns = (text: string): string[] => text.split(fromTheRight)

/**
 * Shows code in the order in which it runs: its words follow each other from left to right in any script. A browser would show `mv א ב`
 * with its arguments reversed.
 */
export function InOrder ({ text }: { text: string }) {
  const runs = inRuns(text)
  return runs.length === 1 ? <>{text}</> : <span dir='ltr'>{runs.map((run, at) => at % 2 === 0 ? run : <bdi key={at}>{run}</bdi>)}</span>
}
