import { type FolderUpload, type FolderUploads } from '../core/files/folder-uploads.js'
import { visible } from '../core/files/paths.js'
import { Button } from '../ui/Button.js'
import { RotateCw, X } from '../ui/icons.js'
import { screenWords, words } from '../words/index.js'
import { sizeText } from './format.js'

/** Lists running and failed uploads. */
export function UploadList ({ uploads }: { uploads: FolderUploads }) {
  const list = uploads.list.value
  if (list.length === 0) return null
  return (
    <ul class='uploads' aria-label={screenWords.value.files.uploads}>
      {list.map((upload) => <Line key={upload.id} upload={upload} uploads={uploads} />)}
    </ul>
  )
}

function Line ({ upload: { id, name, sizeBytes, unpack, state, share, error }, uploads }: {
  upload: FolderUpload
  uploads: FolderUploads
}) {
  const w = screenWords.value.files
  const shown = visible(name)
  const said = {
    waiting: w.waitsForOthers, sending: sizeText(sizeBytes), storing: unpack ? w.unpacking : w.storing,
    failed: error?.message ?? ''
  }[state]
  return (
    <li class={`upload upload-${state}`}>
      <bdi class='upload-name'>{shown}</bdi>
      <span class='upload-said' role={state === 'failed' ? 'alert' : undefined}>{said}</span>
      {state !== 'failed' && <progress max={1} value={share} aria-label={w.uploadOf(shown)} />}
      {state === 'failed' && (
        <Button kind='quiet' size='small' icon={RotateCw} label={words.value.common.retry} onClick={() => uploads.retry(id)} />
      )}
      <Button kind='quiet' size='small' icon={X} label={w.putAway(shown)} onClick={() => uploads.putAway(id)} />
    </li>
  )
}
