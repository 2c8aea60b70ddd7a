const letter = '[\\p{sc=Hebrew}\\p{sc=Arabic}\\p{sc=Syriac}\\p{sc=Thaana}\\p{sc=Nko}\\p{sc=Samaritan}\\p{sc=Mandaic}\\p{sc=Adlam}]'
/** Words of scripts that are written from the right. */
const fromTheRight = new RegExp(`(${letter}(?:${letter}|\\p{M})*)`, 'u')

/** A text in pieces: every other one, beginning with the second, is read from the right. */
export const inRuns = (text: string): string[] => text.split(fromTheRight)

/**
 * Code as it is carried out: its words follow each other from the left, whatever script they are in. A browser would show `mv א ב` with its
 * arguments the other way round.
 */
export function InOrder ({ text }: { text: string }) {
  const runs = inRuns(text)
  return runs.length === 1 ? <>{text}</> : <span dir='ltr'>{runs.map((run, at) => at % 2 === 0 ? run : <bdi key={at}>{run}</bdi>)}</span>
}
