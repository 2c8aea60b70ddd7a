import { api, link } from '../app.js'
import { createResource } from '../core/service/resource.js'
import { createHistory } from './history.js'

/** The tasks of the profile, or of all: kept up to date by the feed while the app is open. */
export const tasks = createResource(async () => await api.get('/api/crons', { all_profiles: '1' }))
/** What runs have left, by task. */
export const histories = createHistory(api)

let isFollowing = false

/** Reads the tasks, and again whenever something has happened to one. */
export function followTasks (): void {
  void tasks.refresh()
  if (isFollowing) return
  isFollowing = true
  link.onFrame((frame) => {
    if (frame.event !== 'cron' && frame.event !== 'profile' && frame.event !== 'snapshot') return
    void tasks.refresh()
    if (frame.event === 'cron' && frame.data.event === 'ended') histories.changed(frame.data.job_id)
  })
}
