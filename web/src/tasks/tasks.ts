import { api, link } from '../app.js'
import { createResource } from '../core/service/resource.js'
import { createHistory } from './history.js'

/** The tasks of the profile, or of all, updated by the feed. */
export const tasks = createResource(async () => await api.get('/api/crons', { all_profiles: '1' }))
/** The results of runs, by task. */
export const histories = createHistory(api)

let isFollowing = false

/** Reads the tasks, and again after each change. */
export function followTasks (): void {
  void tasks.refresh()
  if (isFollowing) return
  isFollowing = true
  link.onFrame((frame) => {
    if (frame.event !== 'cron' && frame.event !== 'profile' && frame.event !== 'snapshot') return
    void tasks.refresh()
    // The file of a run is written after the run has ended, so a later event counts too.
    if (frame.event === 'cron' && ['ended', 'updated'].includes(frame.data.event)) histories.changed(frame.data.job_id)
  })
}
