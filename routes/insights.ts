import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { readerOf } from '../services/areas/auth/index.js'
import { redactDeepGently } from '../services/ground/redaction/index.js'
import { toCsv, type InsightsFor } from '../services/areas/insights/index.js'
import { Bytes, errors, isOn } from '../schemas/common.js'
import { Insights, InsightsBreakdown, InsightsExport, InsightsExportQuery, InsightsQuery } from '../schemas/insights.js'
import { wholeNumber } from './shared/numbers.js'
import { sendFinished, sendStream } from './shared/sending.js'
import { tagged } from './shared/tagged.js'

const defaultDays = 30

/** Usage. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('insights'))
  const { insights } = app

  app.get('/api/insights', {
    config: { scope: 'read', finishedBytes: true },
    schema: {
      summary: 'Get sessions, tokens and costs of the last days',
      description: '`days` is 1 to 365 (default 30), today included. Cost in US dollars, at the price of that time; a model without a ' +
        'known price counts as 0.',
      querystring: InsightsQuery,
      response: { 200: Insights, ...errors(400) }
    }
  }, async (
    request, reply
  ) => { await sendFinished(reply.header('Cache-Control', 'no-cache'), await insights.read(asked(request, request.query))) })

  app.get('/api/insights/breakdown', {
    config: { scope: 'read', finishedBytes: true },
    schema: {
      summary: 'Get usage by kind of turn, project, tool and job, and how approvals and questions were answered',
      description: '`days` is 1 to 365 (default 30). Tools and runs are counted since `tools_since`.',
      querystring: InsightsQuery,
      response: { 200: InsightsBreakdown, ...errors(400) }
    }
  }, async (request, reply) => {
    await sendFinished(
      reply.header('Cache-Control', 'no-cache'), await shownTo(request, await insights.breakdown(asked(request, request.query)))
    )
  })

  app.get('/api/insights/export', {
    config: { scope: 'read', finishedBytes: true },
    exposeHeadRoute: false,
    schema: {
      summary: 'Export usage as a file, with a row for each day and model (or kind, project, tool, job or prompt)',
      description: '`format` is `csv` (default) or `json`; `by` is `model` (default), `kind`, `project`, `tool`, `job` or `prompt`.',
      querystring: InsightsExportQuery,
      response: {
        200: { description: 'a file', content: { 'application/json': { schema: InsightsExport }, ...Bytes('text/csv', '').content } },
        ...errors(400)
      }
    }
  }, async (request, reply) => {
    const { format = 'csv', by = 'model' } = request.query
    const exported = await insights.exported(asked(request, request.query), by)
    const rows = isPlainFor(request) ? exported : await redactDeepGently(exported)
    reply.headers({
      'Content-Disposition': `attachment; filename="usage${by === 'model' ? '' : `-${by}`}.${format}"`, 'Cache-Control': 'no-store'
    })
    if (format === 'json') return await sendFinished(reply, JSON.stringify(rows))
    await sendStream(reply.type('text/csv; charset=utf-8'), Readable.from([Buffer.from(toCsv(by, rows))]))
  })

  /** Returns whether a client gets names unmasked: those of projects and jobs are typed by people, and may contain credentials. */
  const isPlainFor = ({ operator }: FastifyRequest): boolean => readerOf(operator).mayChange || !app.sessions.isMasked()
  const shownTo = async (request: FastifyRequest, json: string): Promise<string> =>
    isPlainFor(request) ? json : JSON.stringify(await redactDeepGently(JSON.parse(json)))

  function asked (request: FastifyRequest, { days, all_profiles: allProfiles }: { days?: string, all_profiles?: string }): InsightsFor {
    return { days: wholeNumber(days) ?? defaultDays, profile: isOn(allProfiles) ? null : request.activeProfile() }
  }
}
export default plugin
