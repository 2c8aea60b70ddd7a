import { type ModelPick } from '../conversation/conversation-state.js'
import { isRecord } from '../service/records.js'
import { type Attachment } from './turn.js'

// Messages as the service takes them. The box needs this from the start, unlike the code that reads messages (turn-code.ts).

/** Reads attachments from messages and drafts, as this or another client wrote them. */
export function attachmentsOf (files: unknown): Attachment[] {
  if (!Array.isArray(files)) return []
  return files.flatMap((file: unknown): Attachment[] => {
    if (typeof file === 'string') return [{ name: file, path: null, mime: '', sizeBytes: null, isImage: false }]
    if (!isRecord(file)) return []
    const { name, filename, path, mime, size, is_image: isImage } = file
    const named = [name, filename, path].filter((text) => typeof text === 'string').find((text) => text !== '')
    return named === undefined
      ? []
      : [{
          name: named, path: typeof path === 'string' ? path : null, mime: typeof mime === 'string' ? mime : '', sizeBytes: typeof size === 'number' ? size : null,
          isImage: isImage === true
        }]
  })
}

/** Returns an attachment as messages and drafts have it on the wire. */
export function attachmentToWire ({ name, path, mime, sizeBytes, isImage }: Attachment) {
  return { name, ...(path === null ? {} : { path }), mime, ...(sizeBytes === null ? {} : { size: sizeBytes }), is_image: isImage }
}

/** Returns the request that starts the turn of a message, equal for every attempt. */
export function startBody (
  sessionId: string, { text, attachments, pick, isQueued = false }: {
    text: string, attachments: readonly Attachment[], pick?: ModelPick | undefined, isQueued?: boolean | undefined
  }
) {
  return {
    session_id: sessionId,
    message: text,
    ...(attachments.length === 0 ? {} : { attachments: attachments.map(attachmentToWire) }),
    ...(pick === undefined ? {} : { model: pick.model, explicit_model_pick: pick.keep === true }),
    ...(pick?.provider === undefined ? {} : { model_provider: pick.provider }),
    ...(isQueued ? { if_busy: 'queue' as const } : {})
  }
}
