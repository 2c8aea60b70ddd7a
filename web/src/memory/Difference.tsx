import { DiffView } from '../ui/DiffView.js'
import { screenWords } from '../words/index.js'

/** Shows the diff of a change, or that it changes nothing. */
export function Difference ({ diff }: { diff: string }) {
  return diff === ''
    ? <p class='memory-about'>{screenWords.value.diff.noChange}</p>
    : <div class='memory-diff'><DiffView diff={diff} bare /></div>
}
