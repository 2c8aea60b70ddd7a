import { ApiError, type Api } from '../service/api.js'
import { baseName, folderOf } from './paths.js'

/** What a delete answers when the trash cannot take something. */
const untrashable: ReadonlySet<string> = new Set(['other_disk', 'trash_blocked'])

/** `trashId` brings it back; `forGoodOnly`: nothing was done, as it could not be undone. */
export type Deleted = { trashId: string | null } | { forGoodOnly: true }

/** What can be done with the files of a session's workspace. All of it throws ApiError. */
export class FileDeeds {
  constructor (readonly api: Api, readonly sessionId: string) {}

  async createFile (path: string): Promise<string> {
    return (await this.api.post('/api/file/create', { session_id: this.sessionId, path, content: '' })).path
  }

  async createFolder (path: string): Promise<string> {
    return (await this.api.post('/api/file/create-dir', { session_id: this.sessionId, path })).path
  }

  /** Where it is now. */
  async rename (path: string, name: string): Promise<string> {
    return (await this.api.post('/api/file/rename', { session_id: this.sessionId, path, new_name: name })).new_path
  }

  async move (path: string, folder: string): Promise<string> {
    return (await this.api.post('/api/file/move', { session_id: this.sessionId, path, dest_dir: folder })).new_path
  }

  /** Puts back what was moved or renamed, under the name that it had. */
  async moveBack (from: string, now: string): Promise<void> {
    let at = now
    if (folderOf(now) !== folderOf(from)) at = await this.move(at, folderOf(from))
    if (baseName(at) !== baseName(from)) await this.rename(at, baseName(from))
  }

  async remove (path: string, { tree = false, forGood = false } = {}): Promise<Deleted> {
    try {
      const {
        trash_id: trashId
      } = await this.api.post('/api/file/delete', { session_id: this.sessionId, path, recursive: tree, permanent: forGood })
      return { trashId }
    } catch (error) {
      if (!forGood && error instanceof ApiError && untrashable.has(error.code ?? '')) return { forGoodOnly: true }
      throw error
    }
  }

  /** Where it is now: under another name where its own was taken. */
  async restore (trashId: string): Promise<string> {
    return (await this.api.post('/api/trash/restore', { session_id: this.sessionId, id: trashId })).path
  }

  async extract (path: string) {
    return await this.api.post('/api/file/extract', { session_id: this.sessionId, path })
  }

  async absolutePath (path: string): Promise<string> {
    return (await this.api.post('/api/file/path', { session_id: this.sessionId, path })).path
  }

  zipUrl (path: string): string {
    return this.api.url('/api/folder/download', { session_id: this.sessionId, path })
  }

  downloadUrl (path: string): string {
    return this.api.url('/api/file/raw', { session_id: this.sessionId, path, download: 1 })
  }

  /** The bytes as they are shown. `edition` makes it another address when the file is another one. */
  rawUrl (path: string, edition?: number | string): string {
    return this.api.url('/api/file/raw', { session_id: this.sessionId, path, v: edition })
  }
}
