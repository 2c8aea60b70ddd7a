import { lstatSync } from 'node:fs'
import { copyFile, link, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { realPath } from '../../ground/files/containment.js'

/** Ids of sessions. Names of other folders in the same place begin with a dot. */
const plainId = /^[\w-][\w.-]*$/

/** Returns the folder of a session's attachments. */
export function attachmentFolder (stateDir: string, sessionId: string): string {
  return join(stateDir, 'attachments', sessionId)
}

/** Returns the names of a session's attachments. */
export const attachmentsOf = async (stateDir: string, sessionId: string): Promise<string[]> =>
  await readdir(attachmentFolder(stateDir, sessionId)).catch(() => [])

/** Copies the attachments of a session to a copy of it, because the original session may be deleted at any time. */
export async function copyAttachments (stateDir: string, fromId: string, toId: string): Promise<void> {
  const [from, to] = [attachmentFolder(stateDir, fromId), attachmentFolder(stateDir, toId)]
  const names = await attachmentsOf(stateDir, fromId)
  if (names.length === 0) return
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const name of names) {
    const [source, copy] = [join(from, name), join(to, name)]
    // Attachments never change, so two sessions may share a file. One that is deleted meanwhile is missing in both.
    await link(source, copy).catch(async () => await copyFile(source, copy)).catch(() => {})
  }
}

/** Returns the ids of the sessions that have attachments. */
export async function sessionsWithAttachments (stateDir: string): Promise<string[]> {
  const names = await readdir(attachmentFolder(stateDir, '')).catch(() => [])
  return names.filter((name) => plainId.test(name))
}

/** Removes a session's attachments. */
export async function removeAttachments (stateDir: string, sessionId: string): Promise<void> {
  if (!plainId.test(sessionId)) return
  // It retries, because an upload at the same moment may add another file.
  await rm(attachmentFolder(stateDir, sessionId), { recursive: true, force: true, maxRetries: 5 })
}

/** Whether an absolute path is in the folder of a session's attachments. */
export function isAttachment (stateDir: string, sessionId: string, path: string): boolean {
  const folder = attachmentFolder(stateDir, sessionId)
  return sessionId !== '' && [folder, realPath(folder)].some((place) => path.startsWith(`${place}/`))
}

/** Whether a session has an attachment of this name or at this path. */
export function hasAttachment (stateDir: string, sessionId: string, path: string): boolean {
  if (isAttachment(stateDir, sessionId, path)) return true
  return sessionId !== '' && path !== '' && !/[/\0]/.test(path) && path !== '..' &&
    lstatSync(join(attachmentFolder(stateDir, sessionId), path), { throwIfNoEntry: false })?.isFile() === true
}
