import { useEffect, useState } from 'preact/hooks'
import { type CheckpointDiff } from '../core/conversation/checkpoints.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { ErrorState } from '../ui/ErrorState.js'
import { FileName } from '../ui/FileName.js'
import { Skeleton } from '../ui/Skeleton.js'
import { screenWords, words } from '../words/index.js'
import { sentence } from './action.js'

/** How many files are named at most. */
const mostNamed = 8

/** Shows what going back to a checkpoint would change, before it does. */
export function GoBackDialog ({ name, read, onGo, onClose }: {
  name: string
  read: () => Promise<CheckpointDiff>
  onGo: () => void
  onClose: () => void
}) {
  const [diff, setDiff] = useState<CheckpointDiff | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const look = (): void => {
    setProblem(null)
    read().then(setDiff, (error: unknown) => setProblem(sentence(error)))
  }
  useEffect(look, [])
  const { common } = words.value
  const { checkpoints: w } = screenWords.value.files
  const isNothing = diff?.total_changes === 0
  return (
    <Dialog
      open size='small' title={w.goBackTitle} note={name} onClose={onClose}
      actions={isNothing
        ? <Button onClick={onClose}>{common.close}</Button>
        : (
          <>
            <Button onClick={onClose}>{common.cancel}</Button>
            <Button kind='primary' disabled={diff === null} onClick={onGo}>{w.goBackNow}</Button>
          </>
          )}
    >
      {problem !== null && <ErrorState error={problem} onRetry={look} />}
      {problem === null && diff === null && <Skeleton lines={4} />}
      {isNothing && <p>{w.same}</p>}
      {diff !== null && !isNothing && (
        <div class='go-back'>
          <p>{w.goBackText(diff.total_changes)}</p>
          <ul class='checkpoint-files'>
            {diff.files_changed.slice(0, mostNamed).map(({ file, status }) => (
              <li key={file} class='checkpoint-file'>
                <FileName path={file} class='side-grow' /><span class='side-muted'>{w.turns[status] ?? status}</span>
              </li>
            ))}
          </ul>
          {diff.total_changes > mostNamed && <p class='side-muted'>{w.andMore(diff.total_changes - mostNamed)}</p>}
          <p class='side-muted'>{w.goBackKept}</p>
        </div>
      )}
    </Dialog>
  )
}
