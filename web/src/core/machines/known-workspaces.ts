import { type Api, type Wire } from '../service/api.js'
import { folderName } from './location.js'
import { createResource, type Resource } from '../service/resource.js'

export type Workspace = Wire<'Workspace'>

/** Folders that can be worked in. */
export class KnownWorkspaces {
  readonly list: Resource<Wire<'WorkspaceList'>>

  constructor (readonly api: Api) {
    this.list = createResource(async () => await api.get('/api/workspaces'))
  }

  /** Adds a folder, or finds it among the known ones: as good as a new one. Throws ApiError. */
  async add (path: string, { create = false } = {}): Promise<Workspace> {
    const before = (await this.api.get('/api/workspaces')).workspaces
    const known = before.find((one) => one.path === path)
    if (known !== undefined) return known
    const { workspaces } = await this.api.post('/api/workspaces/add', { path, create })
    this.#put(workspaces)
    const paths = new Set(before.map((one) => one.path))
    // The service may know the folder by another path, such as without a slash at its end.
    return workspaces.find((one) => !paths.has(one.path)) ?? { path, name: folderName(path) }
  }

  /** Takes it off the list; the folder itself stays. Throws ApiError. */
  async remove (path: string): Promise<void> {
    this.#put((await this.api.post('/api/workspaces/remove', { path })).workspaces)
  }

  async rename (path: string, name: string): Promise<void> {
    this.#put((await this.api.post('/api/workspaces/rename', { path, name })).workspaces)
  }

  /** What was taken off, where it was. Throws ApiError. */
  async bringBack ({ path, name }: Workspace, order: readonly string[]): Promise<void> {
    await this.api.post('/api/workspaces/add', { path, name })
    this.#put((await this.api.post('/api/workspaces/reorder', { paths: [...order] })).workspaces)
  }

  /** Folders that complete what has been typed; with a slash at its end, those in it. Throws ApiError. */
  async suggest (prefix: string): Promise<readonly string[]> {
    return (await this.api.get('/api/workspaces/suggest', { prefix })).suggestions
  }

  #put (workspaces: readonly Workspace[]): void {
    const before = this.list.value.peek()
    this.list.set({ last: '', terminal_remote_backend: false, ...before, workspaces: [...workspaces] })
  }
}
