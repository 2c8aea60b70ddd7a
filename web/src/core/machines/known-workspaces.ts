import { type Api, type Wire } from '../service/api.js'
import { folderName } from './location.js'
import { createResource, type Resource } from '../service/resource.js'

export type Workspace = Wire<'Workspace'>

/** The folders to choose from. */
export class KnownWorkspaces {
  readonly list: Resource<Wire<'WorkspaceList'>>

  constructor (readonly api: Api) {
    this.list = createResource(async () => await api.get('/api/workspaces'))
  }

  /** Adds a folder, or returns the known one. Throws ApiError. */
  async add (path: string, { create = false } = {}): Promise<Workspace> {
    const before = (await this.api.get('/api/workspaces')).workspaces
    const known = before.find((one) => one.path === path)
    if (known !== undefined) return known
    const { workspaces } = await this.api.post('/api/workspaces/add', { path, create })
    this.#put(workspaces)
    const paths = new Set(before.map((one) => one.path))
    // The service may normalise the path, such as a slash at its end.
    return workspaces.find((one) => !paths.has(one.path)) ?? { path, name: folderName(path) }
  }

  /** Removes a folder from the list; the folder itself stays. Throws ApiError. */
  async remove (path: string): Promise<void> {
    this.#put((await this.api.post('/api/workspaces/remove', { path })).workspaces)
  }

  async rename (path: string, name: string): Promise<void> {
    this.#put((await this.api.post('/api/workspaces/rename', { path, name })).workspaces)
  }

  /** Restores a removed entry at its place. Throws ApiError. */
  async bringBack ({ path, name }: Workspace, order: readonly string[]): Promise<void> {
    await this.api.post('/api/workspaces/add', { path, name })
    this.#put((await this.api.post('/api/workspaces/reorder', { paths: [...order] })).workspaces)
  }

  /** Suggests folders that complete the typed path; after a slash at its end, the folders in it. Throws ApiError. */
  async suggest (prefix: string): Promise<readonly string[]> {
    return (await this.api.get('/api/workspaces/suggest', { prefix })).suggestions
  }

  #put (workspaces: readonly Workspace[]): void {
    const before = this.list.value.peek()
    this.list.set({ last: '', terminal_remote_backend: false, ...before, workspaces: [...workspaces] })
  }
}
