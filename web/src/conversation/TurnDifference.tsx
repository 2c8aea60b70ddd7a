import { useEffect } from 'preact/hooks'
import { visible } from '../core/files/paths.js'
import { type TurnDiff } from '../core/turn/turn-diff.js'
import { revertingSince } from '../side/CheckpointChanges.js'
import { useAction } from '../side/action.js'
import { previews } from '../side/Documents.js'
import { sideTab } from '../side/open.js'
import { sidesSince } from '../side/Pictures.js'
import { ReviewBar, reviewing } from '../side/Reviewing.js'
import { sideOf } from '../side/side-model.js'
import '../side/side.css'
import { Button } from '../ui/Button.js'
import { DiffView } from '../ui/DiffView.js'
import { Skeleton } from '../ui/Skeleton.js'
import { screenWords } from '../words/index.js'
import { showFile } from './open-chat.js'

/** How many lines of a file are shown at first, at most. */
const mostLines = 120

interface TurnDifferenceProps {
  sessionId: string
  path: string
  /** Undefined while it is being loaded. */
  since: TurnDiff | undefined
  /** Whether nothing can be reverted now, because a turn is running or a later one has changed the folder. */
  fixed: boolean
  /** Restores files to their state before the turn. */
  onRestore: (paths: readonly string[]) => void
  onChanged: () => void
}

/** Shows the changes that a turn made to a file. Its lines take comments. */
export function TurnDifference ({ sessionId, path, since, fixed, onRestore, onChanged }: TurnDifferenceProps) {
  const model = sideOf(sessionId)
  const action = useAction()
  const [r, w] = [screenWords.value.review, screenWords.value.files.changes]
  if (since === undefined) return <div class='side-padded'><Skeleton /></div>
  const isPast = since.to !== null
  const view = `turn ${since.checkpoint}`
  const isSeen = model.review.seen.value.has(path)
  return (
    <div class='change-diff turn-difference'>
      <DiffView
        diff={since.diff} truncated={since.truncated} bare only={path} lines={mostLines} {...reviewing(model, undefined, isPast, view)}
        {...previews(model, sidesSince(model, since.checkpoint, since.to), { isPast, view })}
        {...!fixed && !model.isReadOnly && { onRevert: revertingSince(model, { onRestore, onChanged }) }}
      />
      {action.problem !== null && <p class='side-problem' role='alert'>{action.problem}</p>}
      <div class='turn-difference-actions'>
        <Button kind='quiet' size='small' onClick={() => showFile(path, null)} label={`${w.openFile}: ${visible(path)}`}>{w.openFile}</Button>
        {!isPast && !model.isReadOnly && (
          <Button
            kind='quiet' size='small' busy={action.doing !== null} label={`${isSeen ? r.unsee : r.see}: ${visible(path)}`}
            onClick={() => { void action.run('see', async () => await model.review.see(path, !isSeen)) }}
          >
            {isSeen ? r.unsee : r.see}
          </Button>
        )}
      </div>
    </div>
  )
}

/** Marks a file that was reviewed in its present state. */
export function SeenMark ({ sessionId, path }: { sessionId: string, path: string }) {
  return sideOf(sessionId).review.seen.value.has(path) ? <span class='side-muted' role='img' aria-label={screenWords.value.review.seen}>✓</span> : null
}

/** Lists the review's comments below the changes that they are about, and sends them; shows nothing if the side panel does so. */
export function TurnReview ({ sessionId }: { sessionId: string }) {
  const model = sideOf(sessionId)
  useEffect(() => model.attendReview(), [model])
  return sideTab.value === 'changes' || sideTab.value === 'checkpoints' ? null : <ReviewBar model={model} />
}
