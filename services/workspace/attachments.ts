import { rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Removes what was uploaded to a session. */
export async function removeAttachments (stateDir: string, sessionId: string): Promise<void> {
  if (!/^[\w-][\w.-]*$/.test(sessionId)) return
  await rm(join(stateDir, 'attachments', sessionId), { recursive: true, force: true })
}
