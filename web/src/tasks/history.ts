import { type Api, type Wire } from '../core/service/api.js'
import { createResource, type Resource } from '../core/service/resource.js'

export type Run = Wire<'CronHistory'>['runs'][number]
export interface History { runs: readonly Run[], total: number }

const pageRuns = 20

/** The runs of each task, loaded page by page when they are shown. */
export function createHistory (api: Api) {
  const known = new Map<string, { resource: Resource<History>, wanted: number }>()

  function entry (jobId: string): { resource: Resource<History>, wanted: number } {
    const before = known.get(jobId)
    if (before !== undefined) return before
    const one: { resource: Resource<History>, wanted: number } = {
      wanted: pageRuns,
      resource: createResource<History>(async () => {
        const { runs, total } = await api.get('/api/crons/history', { job_id: jobId, limit: String(one.wanted) })
        return { runs, total }
      })
    }
    known.set(jobId, one)
    return one
  }

  return {
    of: (jobId: string): Resource<History> => entry(jobId).resource,
    /** Loads older runs. */
    more: async (jobId: string): Promise<void> => {
      const one = entry(jobId)
      one.wanted = Math.min(500, one.wanted + pageRuns)
      await one.resource.refresh()
    },
    /** Reads the shown runs again when a run has ended. */
    changed: (jobId: string): void => { void known.get(jobId)?.resource.refresh() },
    output: async (jobId: string, filename: string): Promise<string> =>
      (await api.get('/api/crons/run', { job_id: jobId, filename })).content
  }
}
