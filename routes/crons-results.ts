import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static } from '@sinclair/typebox'
import {
  CronHistory, CronHistoryQuery, CronOutput, CronOutputQuery, CronRecent, CronRecentQuery, CronRun, CronRunQuery, CronStatus,
  CronStatusQuery
} from '../schemas/crons.js'
import { boundedReport, completionToWire, fileToWire, usageToWire } from '../services/areas/crons/index.js'
import { Invalid } from '../services/ground/errors.js'
import { redactGently } from '../services/ground/redaction/index.js'
import { errors, isOn } from '../schemas/common.js'

const recentCompletions = 200

/** The state of runs of jobs, and their results. */
export const results: FastifyPluginAsyncTypebox = async (app) => {
  const { crons, sessions } = app

  app.get('/api/crons/status', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the running jobs',
      description: 'With `job_id`: whether it is running, and for how many seconds. Without it: all running jobs, by id.',
      querystring: CronStatusQuery,
      response: { 200: CronStatus, ...errors(400, 404) }
    }
  }, async ({ query: { job_id: id } }) => {
    if (id === undefined) return { running: crons.running() }
    const elapsed = crons.elapsed(id)
    return { job_id: id, running: elapsed !== null, elapsed: elapsed ?? 0 }
  })

  app.get('/api/crons/recent', {
    config: { scope: 'read' },
    schema: {
      summary: 'List runs that ended since a given time',
      description: 'The last 200 runs that ended after `since`, oldest first. `all_profiles` includes every profile.',
      querystring: CronRecentQuery,
      response: { 200: CronRecent, ...errors(400) }
    }
  }, async (request) => {
    const { since: from, all_profiles: all } = request.query
    const since = from === undefined || from === '' ? 0 : Number(from)
    if (!Number.isFinite(since)) throw new Invalid('since: epoch seconds')
    const profile = request.activeProfile()
    const found = crons.recent(since, recentCompletions, isOn(all) ? null : profile)
    return { completions: sessions.shown(found.reverse().map(completionToWire)), since }
  })

  app.get('/api/crons/output', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the output of the last runs',
      description: 'The last `limit` runs (default 5), newest first, at most 8,000 characters each. 404: unknown job.',
      querystring: CronOutputQuery,
      response: { 200: CronOutput, ...errors(400, 404) }
    }
  }, async ({ query: { job_id: id, limit } }) => {
    const files = (await crons.files(id)).slice(0, within(limit, { name: 'limit', usual: 5, least: 1, most: 500 }))
    const outputs: Static<typeof CronOutput>['outputs'] = []
    // One after the other: a file may have been removed meanwhile, and none stays in memory longer than needed.
    for (const { filename } of files) {
      const content = await crons.file(id, filename).catch(() => null)
      if (content !== null) outputs.push({ filename, content: boundedReport(content, sessions.shown) })
    }
    return { job_id: id, outputs }
  })

  app.get('/api/crons/history', {
    config: { scope: 'read' },
    schema: {
      summary: 'List the runs that have output',
      description: 'Newest first; `offset` and `limit` (default 50, at most 500) page. 404: unknown job.',
      querystring: CronHistoryQuery,
      response: { 200: CronHistory, ...errors(400, 404) }
    }
  }, async ({ query: { job_id: id, limit, offset: from } }) => {
    const files = await crons.files(id)
    const usage = crons.usage(id)
    const offset = within(from, { name: 'offset', usual: 0, least: 0, most: 1_000_000 })
    const page = files.slice(offset, offset + within(limit, { name: 'limit', usual: 50, least: 1, most: 500 }))
    return { job_id: id, runs: page.map((file) => fileToWire(file, usage.get(file.filename))), total: files.length, offset }
  })

  app.get('/api/crons/run', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the output of a run',
      description: '`filename` is one that `GET /api/crons/history` lists. `content` is all of it, `snippet` its first 8,000 ' +
        'characters. 404: unknown job or file.',
      querystring: CronRunQuery,
      response: { 200: CronRun, ...errors(400, 404) }
    }
  }, async ({ query: { job_id: id, filename } }) => {
    const content = await crons.file(id, filename)
    return {
      job_id: id, filename, content: sessions.isMasked() ? await redactGently(content) : content,
      snippet: boundedReport(content, sessions.shown), usage: usageToWire(crons.usage(id).get(filename))
    }
  })
}

/** Returns a number from a query, limited to its bounds. Throws Invalid when it is not a whole number. */
function within (
  text: string | undefined, { name, usual, least, most }: { name: string, usual: number, least: number, most: number }
): number {
  if (text === undefined || text === '') return usual
  if (!/^-?\d{1,15}$/.test(text)) throw new Invalid(`${name} must be a whole number`)
  return Math.min(most, Math.max(least, Number(text)))
}
