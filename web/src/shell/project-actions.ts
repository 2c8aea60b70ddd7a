import { api } from '../app.js'
import { moveSession } from '../core/sessions/session-actions.js'
import { attempt } from '../ui/attempt.js'
import { toast } from '../ui/toasts.js'
import { screenWords } from '../words/index.js'
import { projects, refreshProjects } from './projects.js'

/** The colours of projects, readable on every background. A new project gets the next one. */
export const projectColours = {
  green: '#0f6b5c', blue: '#3a5fb0', purple: '#7a4fa3', olive: '#5c6b2e', brown: '#8a5a2b', grey: '#6b6b6b'
} as const
export type ProjectColour = keyof typeof projectColours

const change = async (act: () => Promise<unknown>): Promise<boolean> => await attempt(async () => {
  await act()
  await refreshProjects()
})

/** Creates a project with these chats. */
export async function createProject (name: string, ids: readonly string[]): Promise<void> {
  const colours = Object.values(projectColours)
  const color = colours.at(projects.peek().length % colours.length) ?? projectColours.green
  await change(async () => {
    const { project } = await api.post('/api/projects/create', { name, color })
    for (const id of ids) await moveSession(api, id, project.project_id)
  })
}

export async function renameProject (projectId: string, name: string): Promise<void> {
  await change(async () => await api.post('/api/projects/rename', { project_id: projectId, name }))
}

export async function colourProject (projectId: string, name: string, colour: ProjectColour): Promise<void> {
  await change(async () => await api.post('/api/projects/rename', { project_id: projectId, name, color: projectColours[colour] }))
}

/** Sets the folder and the instructions of a project; empty: none, absent: as before. Throws ApiError. */
export async function setUpProject (projectId: string, wanted: { workspace?: string, instructions?: string }): Promise<void> {
  await api.post('/api/projects/update', { project_id: projectId, ...wanted })
  await refreshProjects()
}

/** Removes a project. Its chats stay, without a project. */
export async function removeProject (projectId: string, name: string): Promise<void> {
  if (await change(async () => await api.post('/api/projects/delete', { project_id: projectId }))) {
    toast(screenWords.value.rail.projectRemoved(name))
  }
}
