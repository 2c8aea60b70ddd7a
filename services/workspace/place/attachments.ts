import { lstatSync } from 'node:fs'
import { copyFile, link, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { realPath } from '../../ground/containment.js'

/** Folders beside them begin with a dot. */
const plainId = /^[\w-][\w.-]*$/

/** Where what is uploaded to a session lies. */
export function attachmentFolder (stateDir: string, sessionId: string): string {
  return join(stateDir, 'attachments', sessionId)
}

/** Gives a copy of a session what was uploaded to the first, which may go at any time. */
export async function copyAttachments (stateDir: string, fromId: string, toId: string): Promise<void> {
  const [from, to] = [attachmentFolder(stateDir, fromId), attachmentFolder(stateDir, toId)]
  const names = await readdir(from).catch(() => [])
  if (names.length === 0) return
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const name of names) {
    const [source, copy] = [join(from, name), join(to, name)]
    // A file is never changed once it is there, so two sessions may share it. One that goes meanwhile goes for both.
    await link(source, copy).catch(async () => await copyFile(source, copy)).catch(() => {})
  }
}

/** Those that something was uploaded to. */
export async function sessionsWithAttachments (stateDir: string): Promise<string[]> {
  const names = await readdir(attachmentFolder(stateDir, '')).catch(() => [])
  return names.filter((name) => plainId.test(name))
}

/** Removes what was uploaded to a session. */
export async function removeAttachments (stateDir: string, sessionId: string): Promise<void> {
  if (!plainId.test(sessionId)) return
  // An upload that comes at the same moment may put one more file in.
  await rm(attachmentFolder(stateDir, sessionId), { recursive: true, force: true, maxRetries: 5 })
}

/** Whether an absolute path is that of something that was uploaded to a session. */
export function isAttachment (stateDir: string, sessionId: string, path: string): boolean {
  const folder = attachmentFolder(stateDir, sessionId)
  return sessionId !== '' && [folder, realPath(folder)].some((place) => path.startsWith(`${place}/`))
}

/** Whether something of this name, or at this path, was uploaded to a session. */
export function hasAttachment (stateDir: string, sessionId: string, path: string): boolean {
  if (isAttachment(stateDir, sessionId, path)) return true
  return sessionId !== '' && path !== '' && !/[/\0]/.test(path) && path !== '..' &&
    lstatSync(join(attachmentFolder(stateDir, sessionId), path), { throwIfNoEntry: false })?.isFile() === true
}
