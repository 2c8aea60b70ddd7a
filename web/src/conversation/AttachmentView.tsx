import { api } from '../app.js'
import { type Attachment } from '../core/turn/turn.js'
import { Icon } from '../ui/Icon.js'
import { FileText } from '../ui/icons.js'

/** Shows a file of a message: a picture in place, anything else by name. */
export function AttachmentView ({ file, sessionId }: { file: Attachment, sessionId: string | null }) {
  const { name, path, isImage } = file
  if (path === null || sessionId === null) return <span class='attached'><Icon of={FileText} size={14} /><bdi>{name}</bdi></span>
  const url = api.url('/api/media', { path, session_id: sessionId })
  if (isImage) {
    return (
      <a href={url} title={path} target='_blank' rel='noopener noreferrer' class='attached-image'>
        <img src={url} alt={name} loading='lazy' />
      </a>
    )
  }
  return (
    <a class='attached' href={url} title={path} target='_blank' rel='noopener noreferrer'>
      <Icon of={FileText} size={14} />
      <bdi>{name}</bdi>
    </a>
  )
}
