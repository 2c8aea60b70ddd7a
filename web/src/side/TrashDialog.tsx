import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { visible } from '../core/files/paths.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { EmptyState } from '../ui/EmptyState.js'
import { ErrorState } from '../ui/ErrorState.js'
import { Skeleton } from '../ui/Skeleton.js'
import { useReading } from '../ui/use-reading.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { useAction } from './action.js'
import { bringBack } from './FileDialogs.js'
import { sizeText } from './format.js'
import { type SideModel } from './side-model.js'

/** Lists deleted files, which can be restored for a while. */
export function TrashDialog ({ model, onClose }: { model: SideModel, onClose: () => void }) {
  const query = { session_id: model.sessionId }
  const trash = useReading(async () => (await api.get('/api/trash', query)).items, [model])
  const [isSure, setSure] = useState(false)
  const action = useAction()
  const w = screenWords.value.files
  const items = trash.value.value
  const restore = (id: string): Promise<void> => action.run(id, async () => {
    await bringBack(model, id)
    await trash.refresh()
  })
  const empty = (): Promise<void> => action.run('empty', async () => {
    if (!isSure) return setSure(true)
    await api.post('/api/trash/empty', query)
    setSure(false)
    await trash.refresh()
  })
  const actions = items === undefined || items.length === 0
    ? undefined
    : (
      <>
        <span class='side-muted dialog-far' role='status'>{isSure && w.emptyTrashText}</span>
        <Button kind='danger' busy={action.doing === 'empty'} onClick={() => { void empty() }}>{isSure ? w.forGood : w.emptyTrash}</Button>
      </>
      )
  return (
    <Dialog open title={w.trash} onClose={onClose} actions={actions}>
      {action.problem !== null && <p class='side-problem' role='alert'>{action.problem}</p>}
      {items === undefined &&
        (trash.error.value === null ? <Skeleton /> : <ErrorState error={trash.error.value} onRetry={() => { void trash.refresh() }} />)}
      {items?.length === 0 && <EmptyState title={w.trashEmpty} />}
      <ul class='side-records'>
        {items?.map(({ id, path, is_dir: isFolder, size, deleted_at: atS }) => (
          <li key={id} class='side-record'>
            <span class='side-grow'>
              <bdi class='side-lead'>{visible(path)}</bdi>
              <span class='side-muted'>{[isFolder ? w.kindFolder : sizeText(size ?? 0), w.deletedAt(times.at(atS))].join(' · ')}</span>
            </span>
            <Button busy={action.doing === id} label={`${w.restore}: ${visible(path)}`} onClick={() => { void restore(id) }}>
              {w.restore}
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
