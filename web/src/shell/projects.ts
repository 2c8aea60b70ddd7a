import { signal } from '@preact/signals'
import { api, link } from '../app.js'
import { type Wire } from '../core/service/api.js'

/** Folders of sessions, as they are listed. */
export const projects = signal<ReadonlyArray<Wire<'Project'>>>([])

/** The dialog about all of them is open, perhaps for a chat that is to go into one. */
export const projectsDialog = signal<{ sessionId: string | null } | null>(null)

/** Reads them anew: after a change of one's own, and whenever the whole list may be another one. */
export async function refreshProjects (): Promise<void> {
  projects.value = (await api.get('/api/projects')).projects
}

link.onFrame(({ event }) => { if (event === 'snapshot' || event === 'sessions') void refreshProjects().catch(() => {}) })
