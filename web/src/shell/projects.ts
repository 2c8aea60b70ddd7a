import { signal } from '@preact/signals'
import { api, link } from '../app.js'
import { type NewSession } from '../core/conversation/conversation-state.js'
import { type Wire } from '../core/service/api.js'

/** The projects, as listed. */
export const projects = signal<ReadonlyArray<Wire<'Project'>>>([])

/** Returns the settings of a new chat in a project. */
export const inProject = ({ project_id: id, workspace }: Wire<'Project'>): NewSession =>
  ({ project_id: id, ...workspace === undefined ? {} : { workspace } })

/** Returns a project with its instructions, which the document of a window's start leaves out. Undefined: it is gone. Throws ApiError. */
export async function readProject (id: string): Promise<Wire<'Project'> | undefined> {
  const { projects } = await api.get('/api/projects', { all_profiles: '0' })
  return projects.find(({ project_id: each }) => each === id)
}

/** Reads the projects again: after a change made here, and when the whole list may have changed. */
export async function refreshProjects (): Promise<void> {
  projects.value = (await api.get('/api/projects')).projects
}

link.onFrame(({ event }) => { if (event === 'snapshot' || event === 'sessions') void refreshProjects().catch(() => {}) })
