import { ApiError, type Api } from '../service/api.js'
import { baseName, folderOf } from './paths.js'

/** Error codes of a delete that the trash cannot take. */
const untrashable: ReadonlySet<string> = new Set(['other_disk', 'trash_blocked'])

/** `trashId` restores it; `forGoodOnly`: nothing was deleted, as it could not be restored. */
export type Deleted = { trashId: string | null } | { forGoodOnly: true }

/** The operations on files of a session's workspace. All throw ApiError. */
export class FileActions {
  constructor (readonly api: Api, readonly sessionId: string) {}

  async createFile (path: string): Promise<string> {
    return (await this.api.post('/api/file/create', { session_id: this.sessionId, path, content: '' })).path
  }

  async createFolder (path: string): Promise<string> {
    return (await this.api.post('/api/file/create-dir', { session_id: this.sessionId, path })).path
  }

  /** Returns the new path. */
  async rename (path: string, name: string): Promise<string> {
    return (await this.api.post('/api/file/rename', { session_id: this.sessionId, path, new_name: name })).new_path
  }

  async move (path: string, folder: string): Promise<string> {
    return (await this.api.post('/api/file/move', { session_id: this.sessionId, path, dest_dir: folder })).new_path
  }

  /** Moves a moved or renamed file back, under its old name. */
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

  /** Restores a deleted file. Returns its path, which has another name if the old one is taken. */
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

  /** Returns the address of the file's bytes. Another `edition` gives another address. */
  rawUrl (path: string, edition?: number | string): string {
    return this.api.url('/api/file/raw', { session_id: this.sessionId, path, v: edition })
  }
}
