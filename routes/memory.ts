import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { rates } from '../plugins/ground/rate-limit.js'
import { conflicts, errors, isOn } from '../schemas/common.js'
import {
  CompareMemoryQuery, CuratedMemory, CurateMemory, MemoryDifference, MemoryDocuments, MemoryHistory, MemoryQuery, MemorySectionQuery,
  RestoreMemory, WriteMemory, WrittenMemory
} from '../schemas/memory.js'
import { documentLimitBytes, projectContexts, type ProjectContexts } from '../services/agent/index.js'
import { readerOf } from '../services/areas/auth/index.js'
import { Forbidden } from '../services/ground/errors.js'
import { remoteFolder } from '../services/ground/remote-folder.js'
import { sections, type Section, type ShownDocument } from '../services/areas/memory/index.js'
import { tagged } from './shared/tagged.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('memory'))
  const { memory, profiles, sessions, workspace } = app

  /** Returns the rules of a folder. Rules on an unreachable machine are left out, because the documents of the memory are here. */
  async function rulesOf (folder: string): Promise<ProjectContexts> {
    const elsewhere = remoteFolder(folder)
    if (elsewhere === null) return projectContexts(folder)
    return await app.machines.ask(elsewhere.machine, 'rules', { workspace: elsewhere.path }).catch(() => ({ inForce: null, shadowed: [] }))
  }

  app.get('/api/memory', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the memory: documents that the agent reads in each conversation',
      description: 'The documents `memory`, `user` and `soul`, and the rules of the workspace. Send a `…_version` as `if_match` when ' +
        'saving. Credentials are masked; `plain=1` shows them, with the scope `admin` (403 `scope_too_narrow`).',
      querystring: MemoryQuery,
      response: { 200: MemoryDocuments, ...errors(400, 403, 404) }
    }
  }, async (request) => {
    const { session_id: id } = request.query
    const asking = request.activeProfile()
    const {
      profile, workspace: folder
    } = id === undefined ? { profile: asking, workspace: workspace.last(asking) } : sessions.contextOf(id, asking)
    const plain = isOn(request.query.plain)
    if (plain && !readerOf(request.operator).mayChange) {
      throw new Forbidden(
        'Reading the memory unmasked needs a sign-in or a token with the scope admin', 'scope_too_narrow',
        { scope: request.operator?.scope, needed_scope: 'admin' }
      )
    }
    const documents = await memory.read(profile, { plain })
    const { inForce, shadowed } = await rulesOf(folder)
    return {
      ...documentsToWire(documents),
      max_bytes: documentLimitBytes,
      project_context: plain ? inForce?.text ?? '' : sessions.shown(inForce?.text ?? ''),
      project_context_path: inForce?.path ?? '',
      project_context_name: inForce?.name ?? '',
      project_context_workspace: folder,
      project_context_mtime: inForce === null ? null : inForce.mtimeMs / 1000,
      project_context_shadowed: shadowed,
      external_notes_enabled: hasExternalNotes(profiles.settings(profile).config)
    }
  })

  app.post('/api/memory/write', {
    config: { scope: 'admin' },
    bodyLimit: bodyLimits.text,
    schema: {
      summary: 'Replace a memory document',
      description: 'Send the version that was read as `if_match`: 409 `changed` if the document has changed since. Unchanged lines with ' +
        'masks keep their values; 409 `masked` if a value cannot be assigned. A `memory` frame follows. 413 above `max_bytes`; 403: ' +
        'read-only or switched off.',
      body: WriteMemory,
      response: { 200: WrittenMemory, ...errors(400, 403, 413, 503), ...conflicts('changed', 'masked', 'not_text') }
    }
  }, async (request) => {
    const { section, content, if_match: version } = request.body
    return written(section, await memory.write(request.activeProfile(), section, content, { version: version ?? null }))
  })

  app.post('/api/memory/curate', {
    config: { scope: 'admin', rateLimit: rates.model },
    schema: {
      summary: 'Have a model propose a tidier version of a memory document; nothing is written',
      description: 'To accept it, send `text` to `POST /api/memory/write` with `version` as `if_match`. An empty `diff`: nothing to ' +
        'tidy. 409 `empty_document`, `no_model` or `budget_used_up`; 502 `model_failed`.',
      body: CurateMemory,
      response: {
        200: CuratedMemory, ...errors(400, 403, 404, 413, 429, 502),
        ...conflicts('budget_used_up', 'empty_document', 'no_model', 'not_text')
      }
    }
  }, async (request) => {
    const { section } = request.body
    return { section, ...await memory.curation.curate(request.activeProfile(), section) }
  })
  await app.register(versions)
}
export default plugin

/** Earlier versions of a document. */
const versions: FastifyPluginAsyncTypebox = async (app) => {
  const { memory } = app

  app.get('/api/memory/history', {
    config: { scope: 'read' },
    schema: {
      summary: 'List the versions of a memory document',
      description: 'The last 20, newest first; `author` is `person`, `agent` or `disk`. `missing`: the document did not exist.',
      querystring: MemorySectionQuery,
      response: { 200: MemoryHistory, ...errors(400, 403) }
    }
  }, async (request) => {
    const { section } = request.query
    const versions = await memory.history(request.activeProfile(), section)
    return {
      section, versions: versions.map(({
        id, author, createdAt, text
      }) => ({ id, author, created_at: createdAt, bytes: Buffer.byteLength(text ?? ''), missing: text === null }))
    }
  })

  app.get('/api/memory/compare', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get an earlier version of a memory document, and what has changed since',
      description: 'The diff from version `from` to version `to`, or to the present text; `text` is the earlier one. 404: no such version.',
      querystring: CompareMemoryQuery,
      response: { 200: MemoryDifference, ...errors(400, 403, 404) }
    }
  }, async (request) => {
    const { section, from, to } = request.query
    const profile = request.activeProfile()
    const diff = memory.compare(profile, section, { from: Number(from), to: to === undefined ? null : Number(to) })
    return { section, diff, text: memory.textOf(profile, section, Number(from)) }
  })

  app.post('/api/memory/restore', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Restore an earlier version of a memory document',
      description: 'The restored text becomes a new version, so the restore can be undone. A `memory` frame follows. 404: no such ' +
        'version. 409 `changed`: the document was changed at the same time.',
      body: RestoreMemory,
      response: { 200: WrittenMemory, ...errors(400, 403, 404, 413, 503), ...conflicts('changed', 'not_text') }
    }
  }, async (request) => {
    const { section, id } = request.body
    return written(section, await memory.restore(request.activeProfile(), section, id))
  })
}

/** Returns the text of each document, its path and version, and its problems. */
function documentsToWire (documents: Record<Section, ShownDocument>) {
  return {
    memory: documents.memory.text,
    user: documents.user.text,
    soul: documents.soul.text,
    memory_path: documents.memory.path,
    user_path: documents.user.path,
    soul_path: documents.soul.path,
    memory_mtime: documents.memory.mtime,
    user_mtime: documents.user.mtime,
    soul_mtime: documents.soul.mtime,
    memory_version: documents.memory.version,
    user_version: documents.user.version,
    soul_version: documents.soul.version,
    problems: sections.flatMap((section) =>
      documents[section].problem === null ? [] : [{ section, problem: documents[section].problem }])
  }
}

function written (section: Section, { path, document: { mtime, version } }: { path: string, document: ShownDocument }) {
  return { ok: true as const, section, path, mtime, version }
}

/** Returns whether the profile has notes of other programs: `webui_external_notes_sources` in its config.yaml. */
function hasExternalNotes ({ webui_external_notes_sources: sources }: Record<string, unknown>): boolean {
  return Array.isArray(sources) ? sources.length > 0 : typeof sources === 'object' && sources !== null && Object.keys(sources).length > 0
}
