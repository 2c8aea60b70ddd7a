import { type Api, type Wire } from '../core/service/api.js'
import { createResource, type Resource } from '../core/service/resource.js'
import { plainText } from '../markdown/plain-text.js'

export interface Run extends Pick<Wire<'CronHistory'>['runs'][number], 'filename' | 'modified' | 'usage'> {
  /** The outcome; null for a run too old to be read ahead. */
  status: 'ok' | 'failed' | null
  /** The first line of its answer, or why it failed. */
  line: string
}
export interface History { runs: readonly Run[], total: number }

/** The contents of a run's report. */
export interface Report { status: 'ok' | 'failed', answer: string, error: string }

const pageRuns = 20
/** For how many runs the answers are read, for their first lines. */
const linedRuns = 10
const lineChars = 400

/** Parses the file that a run has left. */
export function readReport (content: string): Report {
  const part = (name: string): string => {
    const [, text = ''] = content.split(`\n## ${name}\n`)
    return text.trim()
  }
  const answer = part('Response')
  const error = part('Error').split('\n## Response\n')[0]?.trim() ?? ''
  return { status: /^- Status: ok$/m.test(content) || (error === '' && answer !== '') ? 'ok' : 'failed', answer, error }
}

/** Returns the first line that is not empty, without Markdown marks. */
export function firstLine (markdown: string): string {
  return plainText(markdown.slice(0, lineChars)).split('\n').map((line) => line.trim()).find((line) => line !== '') ?? ''
}

/** The runs of each task, loaded page by page when they are shown. */
export function createHistory (api: Api) {
  const known = new Map<string, { resource: Resource<History>, wanted: number }>()

  async function read (jobId: string, wanted: number): Promise<History> {
    const [{ runs, total }, { outputs }] = await Promise.all([
      api.get('/api/crons/history', { job_id: jobId, limit: String(wanted) }),
      api.get('/api/crons/output', { job_id: jobId, limit: String(linedRuns) })
    ])
    const reports = new Map(outputs.map(({ filename, content }) => [filename, readReport(content)]))
    return {
      total,
      runs: runs.map(({ filename, modified, usage }) => {
        const report = reports.get(filename)
        return {
          filename, modified, usage, status: report?.status ?? null,
          line: report === undefined ? '' : firstLine(report.status === 'ok' ? report.answer : report.error)
        }
      })
    }
  }

  function entry (jobId: string): { resource: Resource<History>, wanted: number } {
    const before = known.get(jobId)
    if (before !== undefined) return before
    const one: { resource: Resource<History>, wanted: number } = {
      wanted: pageRuns, resource: createResource<History>(() => read(jobId, one.wanted))
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
    /** Called when a run has ended: reads the shown runs again. */
    changed: (jobId: string): void => { void known.get(jobId)?.resource.refresh() },
    output: async (jobId: string, filename: string): Promise<Report> =>
      readReport((await api.get('/api/crons/run', { job_id: jobId, filename })).content)
  }
}
