import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { audited } from '../plugins/ground/audited.js'
import { AuditExport, AuditExportQuery, AuditPage, AuditQuery } from '../schemas/audit.js'
import { errors } from '../schemas/common.js'
import { entryToWire, exportLine, headOf, type AuditFilter, type AuditFormat } from '../services/areas/audit/index.js'
import { wholeNumber } from './shared/numbers.js'
import { sendFinished, sendStream } from './shared/sending.js'
import { tagged } from './shared/tagged.js'

const [usualLimit, mostAtOnce] = [100, 500]

/** The audit log, which says what was done and by whom, for clients that may change everything. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('audit'))
  const { audit } = app

  app.get('/api/audit', {
    config: { scope: 'admin', finishedBytes: true },
    schema: {
      summary: 'List the audit log, newest entries first',
      description: '`limit` is 1 to 500 (default 100). Pass `next_before` as `before` to get the next page; null: there is none. `kind` ' +
        'is one kind or the first part of several, such as `auth`; `q` searches details, names and addresses.',
      querystring: AuditQuery,
      response: { 200: AuditPage, ...errors(400) }
    }
  }, async ({ query }, reply) => {
    const limit = Math.min(Math.max(wholeNumber(query.limit) ?? usualLimit, 1), mostAtOnce)
    const { entries, nextBefore } = audit.page(wholeNumber(query.before) ?? Number.MAX_SAFE_INTEGER, limit, filterOf(query))
    await sendFinished(reply, `{"entries":[${entries.map(entryToWire).join(',')}],"next_before":${JSON.stringify(nextBefore)}}`)
  })

  app.get('/api/audit/export', {
    config: {
      scope: 'admin', finishedBytes: true, audit: audited<typeof AuditExportQuery>(({ format = 'ndjson' }, record) => record('audit.exported', { format }))
    },
    exposeHeadRoute: false,
    schema: {
      summary: 'Export the audit log as a file, oldest entries first',
      description: '`format` is `ndjson` (default) or `csv`; `kind` and `q` filter as in the list. The export ' +
        'itself is recorded in the log.',
      querystring: AuditExportQuery,
      response: { 200: AuditExport, ...errors(400) }
    }
  }, async ({ query }, reply) => {
    const { format = 'ndjson' } = query
    reply.headers({ 'Content-Disposition': `attachment; filename="audit.${format}"`, 'Cache-Control': 'no-store' })
    reply.type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8')
    await sendStream(reply, Readable.from(portions(format, filterOf(query), audit.head().id)))
  })

  /** Yields portions up to an id, so that other requests are served in between; entries that are recorded meanwhile are left out. */
  async function * portions (format: AuditFormat, filter: AuditFilter, last: number): AsyncGenerator<Buffer> {
    yield Buffer.from(headOf(format))
    for (let id = audit.removedUpTo(); id < last; id += mostAtOnce) {
      const rows = audit.after(id, Math.min(mostAtOnce, last - id), filter)
      if (rows.length > 0) yield Buffer.from(rows.map((row) => exportLine(format, row)).join(''))
      await nextTurn()
    }
  }
}
export default plugin

const filterOf = ({ kind, q: text }: { kind?: string, q?: string }): AuditFilter =>
  ({ ...(kind !== undefined && kind !== '' && { kind }), ...(text !== undefined && text !== '' && { text }) })
