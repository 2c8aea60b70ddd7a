import { rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Where what is uploaded to a session lies. */
export function attachmentFolder (stateDir: string, sessionId: string): string {
  return join(stateDir, 'attachments', sessionId)
}

/** Removes what was uploaded to a session. */
export async function removeAttachments (stateDir: string, sessionId: string): Promise<void> {
  if (!/^[\w-][\w.-]*$/.test(sessionId)) return
  // An upload that comes at the same moment may put one more file in.
  await rm(attachmentFolder(stateDir, sessionId), { recursive: true, force: true, maxRetries: 5 })
}
