import { RotateCw, X } from 'lucide-preact'
import { type AttachedUpload, type Attachments } from '../core/attachments.js'
import { Button } from '../ui/Button.js'
import { words } from '../words/index.js'

/** The files that go with the next message, and how far each has come. */
export function AttachedFiles ({ attachments }: { attachments: Attachments }) {
  const list = attachments.list.value
  if (list.length === 0) return null
  return <ul class='composer-files'>{list.map((upload) => <AttachedFile key={upload.id} upload={upload} attachments={attachments} />)}</ul>
}

function AttachedFile ({ upload, attachments }: { upload: AttachedUpload, attachments: Attachments }) {
  const { id, file, state, progress, problem, attachment } = upload
  const w = words.value.composer
  const name = attachment.value?.name ?? file?.name ?? ''
  return (
    <li class='composer-file' data-state={state.value} title={problem.value?.message}>
      <bdi>{name}</bdi>
      {state.value === 'uploading' || state.value === 'waiting' ? <progress max={1} value={progress.value} aria-label={name} /> : null}
      {state.value === 'failed' ? <Button kind='quiet' size='small' icon={RotateCw} label={w.retryUpload(name)} onClick={() => { void attachments.retry(id) }} /> : null}
      <Button kind='quiet' size='small' icon={X} label={w.remove(name)} onClick={() => attachments.remove(id)} />
    </li>
  )
}
