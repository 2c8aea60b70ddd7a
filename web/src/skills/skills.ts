import { api, link } from '../app.js'
import { createResource } from '../core/service/resource.js'

export const skills = createResource(async () => (await api.get('/api/skills')).skills)
export const usage = createResource(async () => await api.get('/api/skills/usage'))
export const bundles = createResource(async () => (await api.get('/api/commands/bundles')).bundles)
export const commands = createResource(async () => (await api.get('/api/commands')).commands)

let isFollowing = false

/** Reads the skills, and again when the profile changes or the window is shown: changes on disk are not reported. */
export function followSkills (): void {
  refreshSkills()
  if (isFollowing) return
  isFollowing = true
  link.onFrame(({ event }) => { if (event === 'profile' || event === 'snapshot') refreshSkills() })
  document.addEventListener('visibilitychange', () => { if (document.visibilityState === 'visible') refreshSkills() })
}

export function refreshSkills (): void {
  for (const one of [skills, usage, bundles, commands]) void one.refresh()
}

/** Has the browser save skills as an archive. */
export function downloadSkills (names: readonly string[]): void {
  const link = document.createElement('a')
  link.href = `${api.url('/api/skills/export')}?${new URLSearchParams(names.map((name): [string, string] => ['name', name])).toString()}`
  link.download = ''
  link.click()
}
