import { useState } from 'preact/hooks'
import { type CheckpointDiff } from '../core/conversation/checkpoints.js'
import { api } from '../app.js'
import { revertHunk } from '../core/files/hunks.js'
import { visible } from '../core/files/paths.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { type DiffFile, type DiffHunk } from '../ui/diff.js'
import { DiffView } from '../ui/DiffView.js'
import { FileName } from '../ui/FileName.js'
import { toast } from '../ui/toasts.js'
import { screenWords } from '../words/index.js'
import { offerUndo } from './action.js'
import { previews } from './Documents.js'
import { sidesSince } from './Pictures.js'
import { reviewing } from './Reviewing.js'
import { type SideModel } from './side-model.js'

/** Shows the changes since a checkpoint, and restores some of the files. */
export function CheckpointChanges ({
  diff: { checkpoint, diff, files_changed: files, total_changes: total, truncated }, model, fixed, onChanged, onRestore, onFile
}: {
  model: SideModel
  diff: CheckpointDiff
  fixed: boolean
  /** Called when a hunk was reverted, to compare again. */
  onChanged?: () => void
  onRestore: (paths: readonly string[]) => void
  onFile: (path: string, line: number | null) => void
}) {
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const w = screenWords.value.files.checkpoints
  const pick = (file: string, isPicked: boolean): void => {
    const next = new Set(picked)
    if (isPicked) next.add(file)
    else next.delete(file)
    setPicked(next)
  }
  if (total === 0) return <p class='checkpoint-since side-muted'>{w.same}</p>
  return (
    <div class='checkpoint-since'>
      {truncated && <p class='side-muted'>{w.cut}</p>}
      {/* A single file is already named above its lines, and is restored by going back to the checkpoint. */}
      {(total > 1 || diff === '') && (
        <ul class='checkpoint-files'>
          {files.map(({ file, status, old_file: from }) => (
            <li key={file}>
              <label class='checkpoint-file'>
                {!fixed && (
                  <input
                    type='checkbox' aria-label={w.pick(visible(file))} checked={picked.has(file)}
                    onChange={({ currentTarget }) => pick(file, currentTarget.checked)}
                  />
                )}
                <FileName path={file} from={from ?? null} class='side-grow' /><span class='side-muted'>{w.statuses[status] ?? status}</span>
              </label>
            </li>
          ))}
        </ul>
      )}
      {picked.size > 0 && (
        <Button size='small' onClick={() => { onRestore(withNamesBefore(picked, files)); setPicked(new Set()) }}>{w.restorePicked(picked.size)}</Button>
      )}
      {diff !== '' && (
        <DiffView
          diff={diff} truncated={truncated} onFile={onFile} {...reviewing(model)}
          {...previews(model, sidesSince(model, checkpoint, null))}
          {...!fixed && { onRevert: revertingSince(model, { onRestore, onChanged }) }}
        />
      )}
    </div>
  )
}

/** Adds the old names of renamed files, so that they are restored under these. */
const withNamesBefore = (picked: ReadonlySet<string>, files: CheckpointDiff['files_changed']): string[] => [
  ...new Set([...picked].flatMap((path) => [path, files.find(({ file }) => file === path)?.old_file ?? path]))
]

/**
 * Returns a function that reverts a hunk since a checkpoint: it restores only these lines, unless something else has changed there since.
 */
export function revertingSince (
  model: SideModel, { onRestore, onChanged }: { onRestore: (paths: readonly string[]) => void, onChanged: (() => void) | undefined }
): (file: DiffFile, hunk: DiffHunk) => void {
  const revert = async ({ path, from, state }: DiffFile, hunk: DiffHunk): Promise<void> => {
    // A file that was created, deleted or renamed is restored as a whole.
    if (state !== 'changed') return onRestore(from === null ? [path] : [path, from])
    const { changes: w } = screenWords.value.files
    const isDone = await attempt(async () => {
      const undo = await revertHunk(api, model.sessionId, path, hunk)
      if (undo === null) return toast(w.hunkGone, { kind: 'bad' })
      offerUndo(w.reverted(visible(path)), async () => {
        if (!await undo()) toast(w.notUndone, { kind: 'bad' })
        onChanged?.()
      })
    })
    if (!isDone) return
    onChanged?.()
    await model.changed()
  }
  return (file, hunk) => { void revert(file, hunk) }
}
