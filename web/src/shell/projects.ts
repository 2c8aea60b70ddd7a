import { signal } from '@preact/signals'
import { api, link } from '../app.js'
import { type NewSession } from '../core/conversation/conversation-state.js'
import { type Wire } from '../core/service/api.js'

/** The projects, as listed. */
export const projects = signal<ReadonlyArray<Wire<'Project'>>>([])

/** Returns the settings of a new chat in a project. */
export const inProject = ({ project_id: id, workspace }: Wire<'Project'>): NewSession =>
  ({ project_id: id, ...workspace === undefined ? {} : { workspace } })

/** Reads the projects again: after a change made here, and when the whole list may have changed. */
export async function refreshProjects (): Promise<void> {
  projects.value = (await api.get('/api/projects')).projects
}

link.onFrame(({ event }) => { if (event === 'snapshot' || event === 'sessions') void refreshProjects().catch(() => {}) })
