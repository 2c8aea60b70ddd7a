import { DiffView } from '../ui/DiffView.js'
import { screenWords } from '../words/index.js'

/** What a change would do, or that it would do nothing. */
export function Difference ({ diff }: { diff: string }) {
  return diff === ''
    ? <p class='memory-about'>{screenWords.value.diff.noChange}</p>
    : <div class='memory-diff'><DiffView diff={diff} bare /></div>
}
