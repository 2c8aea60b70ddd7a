import { words } from '../words/index.js'
import './marks.css'

/** A placeholder for text that is being loaded. It does not move. */
export function Skeleton ({ lines = 3 }: { lines?: number }) {
  return (
    <div class='skeleton' role='status' aria-label={words.value.common.loading}>
      {Array.from({ length: lines }, (_, at) => <div key={at} class='skeleton-line' />)}
    </div>
  )
}
