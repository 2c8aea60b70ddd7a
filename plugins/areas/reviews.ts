import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { planPath } from '../../services/areas/plans/index.js'
import { createReviews, type Reviews, type SessionFile } from '../../services/areas/reviews/index.js'
import { DomainError, RelayFailed, Unavailable } from '../../services/ground/errors.js'
import { fieldsOf } from '../../services/ground/fields.js'
import { remoteFolder } from '../../services/ground/remote-folder.js'
import { openRaw, readText, textOfCells } from '../../services/workspace/files/index.js'

declare module 'fastify' {
  interface FastifyInstance { reviews: Reviews }
}

/** Comments on lines that conversations have changed. */
export default fp(async (app: FastifyInstance) => {
  const { db, clock, events, chat, plans, sessions, checkpoints, workers, workspace: { territories } } = app

  async function readFile (sessionId: string, path: string): Promise<SessionFile | null> {
    if (path === planPath) {
      const plan = plans.latest(sessionId)
      return plan === undefined ? null : { version: String(plan.version), text: plan.text }
    }
    try {
      const there = await app.askFolder(sessionId, '/api/file', { path })
      const { version, content, isBinary, isLossy, preview } = there === null
        ? await readText(await territories.reading(sessionId), path, workers)
        : { version: there.version, content: there.content, isBinary: there.is_binary, isLossy: there.is_lossy, preview: there.preview }
      if (typeof version !== 'string' || typeof content !== 'string') return null
      // For documents, diffs show their extracted text.
      if (preview != null) return { version, text: content }
      return { version, text: isBinary === true || isLossy === true ? null : textOfCells(path, content) ?? content }
    } catch (error) {
      // A machine that is away says nothing about its files.
      if (!(error instanceof DomainError) || error instanceof Unavailable || error instanceof RelayFailed) throw error
      return remoteFolder(sessions.folderOf(sessionId).workspace) === null ? await unread(sessionId, path) : null
    }
  }

  /** Returns a file of this machine that is too large to be read, by its version alone; null if it does not exist. */
  async function unread (sessionId: string, path: string): Promise<SessionFile | null> {
    const opened = await openRaw(await territories.reading(sessionId), null, path).catch(() => null)
    if (opened === null) return null
    await opened.handle.close()
    return { version: `${opened.stats.size}:${opened.stats.mtimeNs}`, text: null }
  }

  /** Returns the files that a turn renamed, by its checkpoint. Without a checkpoint no renames are known. */
  async function renamed (sessionId: string, streamId: string): Promise<ReadonlyMap<string, string>> {
    const list = await app.askFolder(sessionId, '/api/rollback/list', {})
    const checkpoint = list === null
      ? checkpoints.list((await territories.reading(sessionId)).root).find((listed) => listed.streamId === streamId)?.id
      : entriesOf(list.checkpoints).find(({ stream_id: id }) => id === streamId)?.id
    if (typeof checkpoint !== 'string') return new Map()
    const there = list === null ? null : await app.askFolder(sessionId, '/api/rollback/diff', { checkpoint, renames: '1' })
    const files = there === null
      ? (await checkpoints.diff(await territories.reading(sessionId), checkpoint, { renames: true })).files
      : entriesOf(there.files_changed).map(({ file, old_file: from }) => ({ file, from }))
    return new Map(files.flatMap(({ file, from }) => typeof from === 'string' && typeof file === 'string' ? [[from, file] as const] : []))
  }

  const reviews = createReviews({
    db, clock, events, chat, sessions, readFile, renamed, log: (message, details) => app.log.warn(details, message)
  })
  app.decorate('reviews', reviews)
  app.addHook('onReady', async () => { void reviews.recover() })
}, { name: 'reviews', dependencies: ['database', 'events', 'sessions', 'chat', 'checkpoints', 'workspace', 'workers', 'plans', 'queue', 'relay'] })

const entriesOf = (value: unknown): Array<Record<string, unknown>> => Array.isArray(value) ? value.map(fieldsOf) : []
