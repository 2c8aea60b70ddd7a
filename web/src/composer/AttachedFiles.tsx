import { useEffect, useMemo } from 'preact/hooks'
import { api } from '../app.js'
import { type AttachedUpload } from '../core/composer/attachments.js'
import { type OpenChat } from '../conversation/open-chat.js'
import { sizeText } from '../side/format.js'
import { Button } from '../ui/Button.js'
import { Icon } from '../ui/Icon.js'
import { FileText, RotateCw, X } from '../ui/icons.js'
import { words } from '../words/index.js'

/** Lists the files that go with the next message, with their upload progress. */
export function AttachedFiles ({ opened }: { opened: OpenChat }) {
  const list = opened.attachments.list.value
  if (list.length === 0) return null
  return <ul class='composer-files'>{list.map((upload) => <AttachedFile key={upload.id} upload={upload} opened={opened} />)}</ul>
}

function AttachedFile ({ upload, opened: { attachments, conversation } }: { upload: AttachedUpload, opened: OpenChat }) {
  const { id, file, state: { value: state }, progress, problem, attachment } = upload
  const w = words.value.composer
  const name = attachment.value?.name ?? file?.name ?? ''
  const mime = file?.type ?? attachment.value?.mime ?? ''
  const sizeBytes = file?.size ?? attachment.value?.sizeBytes ?? null
  const url = useAddress(upload, conversation.sessionId.value)
  return (
    <li class='composer-file' data-state={state}>
      {url !== null && mime.startsWith('image/')
        ? <img class='composer-thumb' src={url} alt='' />
        : url !== null && mime.startsWith('audio/')
          ? <audio class='composer-audio' controls preload='metadata' src={url} aria-label={name} />
          : <Icon of={FileText} size={14} />}
      <span class='composer-file-text'>
        <bdi>{name}</bdi>
        {state === 'failed'
          ? <span class='composer-file-note' role='status'>{problem.value?.message}</span>
          : sizeBytes === null ? null : <span class='composer-file-note'>{sizeText(sizeBytes)}</span>}
        {state === 'uploading' || state === 'waiting' ? <progress max={1} value={progress.value} aria-label={w.uploading(name)} /> : null}
      </span>
      {state === 'failed'
        ? <Button kind='quiet' size='small' icon={RotateCw} label={w.retryUpload(name)} onClick={() => { void attachments.retry(id) }} />
        : null}
      <Button kind='quiet' size='small' icon={X} label={w.remove(name)} onClick={() => attachments.remove(id)} />
    </li>
  )
}

/** Returns the address of a picture or a recording: that of the local file if there is one, else the service's. */
function useAddress ({ file, attachment }: AttachedUpload, sessionId: string | null): string | null {
  const local = useMemo(() => file !== null && /^(?:image|audio)\//.test(file.type) ? URL.createObjectURL(file) : null, [file])
  useEffect(() => () => { if (local !== null) URL.revokeObjectURL(local) }, [local])
  const { path } = attachment.value ?? { path: null }
  if (local !== null || path === null || sessionId === null) return local
  return api.url('/api/media', { path, session_id: sessionId, inline: '1' })
}
