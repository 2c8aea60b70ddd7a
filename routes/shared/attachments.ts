import { type Static } from '@sinclair/typebox'
import { type AttachmentInput } from '../../schemas/common.js'
import { type Attachment } from '../../services/agent/protocol.js'

const maxAttachments = 20

/** Converts a message's files from the form in which a client names them. */
export const attachmentsOf = (given: ReadonlyArray<Static<typeof AttachmentInput>>): Attachment[] =>
  given.slice(0, maxAttachments).map(attachmentOf)

function attachmentOf (input: Static<typeof AttachmentInput>): Attachment {
  if (typeof input === 'string') return { name: input, path: '', mime: 'application/octet-stream', size: null, isImage: false }
  const mime = input.mime ?? 'application/octet-stream'
  return {
    name: input.name ?? input.filename ?? '',
    path: input.path ?? '',
    mime,
    size: input.size ?? null,
    isImage: input.is_image ?? mime.startsWith('image/')
  }
}
