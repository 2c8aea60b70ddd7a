import multipart from '@fastify/multipart'
import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { conflicts, errors } from '../schemas/common.js'
import { ZipBytes } from '../schemas/files.js'
import {
  ExportQuery, ImportedSkills, ImportSkills, InspectForm, SkillInspection, UndoImport, UndoneImport
} from '../schemas/skills.js'
import { inspectionToWire, pathOf } from '../services/areas/skills/index.js'
import { readFileForm } from './files-upload-form.js'
import { disposition, sendBytes } from './shared/sending.js'
import { tagged } from './shared/tagged.js'

/** Skills as archives: inspecting one, importing skills from it, undoing that, and exporting skills. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('skills'))
  const { audit, skills } = app

  app.get('/api/skills/export', {
    config: { scope: 'admin', changes: 'opened' },
    compress: false,
    schema: {
      summary: 'Download skills as a zip archive',
      description: 'A folder for each skill, with all its files. The same files always make the same bytes. 413 above 1,000 files or ' +
        '64 MiB a skill.',
      querystring: ExportQuery,
      response: { 200: ZipBytes, ...errors(400, 404, 413, 503) }
    }
  }, async (request, reply) => {
    const names = [request.query.name].flat()
    const [only, ...others] = names
    const archive = await skills.zipped(request.activeProfile(), names)
    reply.headers({
      'Content-Disposition': disposition('attachment', others.length === 0 ? `${only}.zip` : 'skills.zip'), 'Cache-Control': 'no-store'
    })
    await sendBytes(reply, 'application/zip', archive)
  })

  app.post('/api/skills/import', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Import skills from an inspected archive',
      description: 'All of them, or none. 409 `exists` if the profile has a skill of a name and `on_conflict` is `refuse`, or if the ' +
        'archive was imported before. 404: the archive is no longer kept. `POST /api/skills/import/undo` undoes it. 503 `disk_full`.',
      body: ImportSkills,
      response: { 200: ImportedSkills, ...errors(400, 403, 404, 413, 503), ...conflicts('exists') }
    }
  }, async (request) => {
    const { id, skills: chosen, category } = request.body
    const profile = request.activeProfile()
    const imported = await skills.imports.take(
      profile, id, chosen.map(({ id, on_conflict: onConflict }) => ({ id, onConflict: onConflict ?? 'refuse' })), category ?? ''
    )
    audit.soonest('skill.imported', {
      profile, skills: imported.map(({ name }) => name), replaced: imported.filter(({ isReplaced }) => isReplaced).map(({ name }) => name)
    })
    return { ok: true as const, imported: imported.map((skill) => ({ name: skill.name, path: pathOf(skill), replaced: skill.isReplaced })) }
  })

  app.post('/api/skills/import/undo', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Undo an import of skills, or discard an inspected archive',
      description: 'Removes the imported skills and restores those that they replaced. 409 `changed` if one of them has changed since. ' +
        '404: the import is no longer kept.',
      body: UndoImport,
      response: { 200: UndoneImport, ...errors(400, 403, 404, 503), ...conflicts('changed') }
    }
  }, async (request) => {
    const profile = request.activeProfile()
    const undone = await skills.imports.undo(profile, request.body.id)
    if (undone.removed.length + undone.restored.length > 0) audit.soonest('skill.import_undone', { profile, ...undone })
    return { ok: true as const, ...undone }
  })

  await app.register(inspecting)
}
export default plugin

const inspecting: FastifyPluginAsyncTypebox = async (app) => {
  const { files: { incoming }, skills } = app
  await app.register(multipart)
  // The route refuses a body that is not a form, without reading it.
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))

  app.post('/api/skills/inspect', {
    config: { scope: 'admin' },
    schema: {
      consumes: ['multipart/form-data'],
      summary: 'Upload an archive of skills and see what it contains',
      description: 'Saves no skill. Every folder with a SKILL.md is a skill, however deep. The archive is kept for a day, to be imported ' +
        'with its `id`. Refused as a whole if it is unsafe (400 `unsafe_archive`) or no archive (400 `not_an_archive`). 413: above the ' +
        'size limit of uploads, 64 MiB unpacked, 1,000 files or 100 skills.',
      body: InspectForm,
      response: { 200: SkillInspection, ...errors(400, 403, 404, 413, 503) }
    }
  }, async (request) => {
    const { file } = await readFileForm(request, incoming)
    try {
      return inspectionToWire(await skills.imports.inspect(request.activeProfile(), file))
    } finally {
      await file.discard()
    }
  })
}
