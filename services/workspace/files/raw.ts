import { isAbsolute } from 'node:path'
import { realPath } from '../../ground/files/containment.js'
import { Forbidden, NotFound } from '../../ground/errors.js'
import { openFile, type OpenedFile, type Territory } from '../place/place.js'

/**
 * Opens a file of the workspace, or otherwise of the session's `attachments` folder, by its name there or its absolute path. The caller
 * closes the handle. Throws what openFile throws.
 */
export async function openRaw (territory: Territory, attachments: string | null, path: string): Promise<OpenedFile> {
  try {
    return await openFile(territory, path)
  } catch (error) {
    if (!(error instanceof NotFound || error instanceof Forbidden)) throw error
    const uploaded = attachments === null ? null : await openAttachment(attachments, path).catch(() => null)
    if (uploaded === null) throw error
    return uploaded
  }
}

/** Opens an attachment. Throws what openFile throws. */
export async function openAttachment (attachments: string, path: string): Promise<OpenedFile> {
  const root = realPath(attachments)
  // If the state folder is reached through a symlink, both names of the folder are in use.
  const inside = isAbsolute(path) && path.startsWith(`${attachments}/`) ? `${root}${path.slice(attachments.length)}` : path
  return await openFile({ root, closed: [] }, inside)
}
