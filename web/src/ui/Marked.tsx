import { inMarks } from './marking.js'
import './marks.css'

/** A text with the search words marked. */
export function Marked ({ text, sought }: { text: string, sought: string }) {
  return <>{inMarks(text, sought).map((piece, at) => at % 2 === 0 ? piece : <mark key={at} class='marked'>{piece}</mark>)}</>
}
