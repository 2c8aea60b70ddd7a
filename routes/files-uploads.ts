import multipart from '@fastify/multipart'
import { type Static } from '@sinclair/typebox'
import { type FastifyRequest } from 'fastify'
import { type SharedRoutes } from '../plugins/ground/shared-app.js'
import { conflicts, errors } from '../schemas/common.js'
import { AttachedFile, AttachForm, ExtractBody, ExtractedFiles, PlacedFile, PlaceForm } from '../schemas/files-uploads.js'
import { type ClientRequest } from '../services/areas/idempotency/index.js'
import { digestOf, type Extracted, type Uploaded } from '../services/workspace/files/index.js'
import { readUploadForm, type UploadForm } from './files-upload-form.js'
import { tagged } from './shared/tagged.js'

/** Conflicts of a change with the operating system, or with an existing entry of that name. */
const inTheWay = conflicts('exists', 'mounted', 'running')
const inTheWayOfForms = conflicts('client_id_reused', 'exists', 'mounted', 'running')
const consumes = ['multipart/form-data']

/** Files from a person's device: attaching them to a conversation, saving them to its workspace, or unpacking them there. */
const plugin: SharedRoutes = async (app) => {
  app.addHook('onRoute', tagged('files'))
  const { files: { uploads }, workspace: { territories } } = app

  app.post('/api/file/extract', {
    config: { scope: 'approve', relay: true },
    schema: {
      summary: 'Unpack an archive in the workspace into a new folder',
      description: 'A zip, tar or tar.gz file. Refused as a whole if it would write elsewhere or grow too large (400 `unsafe_archive`); ' +
        '400 `not_an_archive`. `dest` is the new folder.',
      body: ExtractBody,
      response: { 200: ExtractedFiles, ...errors(400, 403, 404, 503), ...inTheWay }
    }
  }, async ({ body }) => extracted(await uploads.extractFile(territories.changing(body.session_id), body.path, body.dest_dir ?? null)))

  await app.register(forms)
}

const forms: SharedRoutes = async (app) => {
  const { files: { incoming, uploads }, idempotency, workspace: { territories } } = app
  /** Identifies a request by the content of its file, because a client that retries sends the whole file again. */
  const requestOf = async (operation: string, { sessionId, clientId, path, file }: UploadForm): Promise<ClientRequest> => ({
    of: { session: sessionId }, clientId, operation,
    asked: clientId === null ? null : { path, name: file.name, content: await digestOf(file) }
  })
  /** Reads the form of a request, whose session is checked as soon as it is known, and removes its file after `work`. */
  async function received<T> (request: FastifyRequest, work: (form: UploadForm) => Promise<T>): Promise<T> {
    const form = await readUploadForm(request, incoming, (sessionId) => {
      request.assertOwnSession?.(sessionId)
      territories.assertChanging(sessionId)
    })
    try {
      return await work(form)
    } finally {
      await form.file.discard()
    }
  }
  await app.register(multipart)
  // The route refuses a body that is not a form, without reading it.
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))

  app.post('/api/upload', {
    config: { scope: 'chat' },
    schema: {
      consumes,
      summary: 'Upload a file and attach it to a conversation',
      description: 'A form with `session_id` and one `file`. Put the answer into `attachments` of `POST /api/chat/start`. Returns ' +
        'once the file is on disk. Send a `client_id` to be able to repeat the request safely. 413: above the size limit of ' +
        'uploads (20 MB by default).',
      body: AttachForm,
      response: { 200: AttachedFile, ...errors(400, 403, 404, 413, 503), ...conflicts('client_id_reused') }
    }
  }, (request) => received(request, async (form) => {
    const { sessionId, file } = form
    territories.assertChanging(sessionId)
    return uploaded(await idempotency.once(await requestOf('upload', form), async () => await uploads.attach(sessionId, file), {
      recover: async () => await uploads.attached(sessionId, file)
    }))
  }))

  app.post('/api/workspace/upload', {
    config: { scope: 'approve', relay: true },
    schema: {
      consumes,
      summary: 'Upload a file into a folder of the workspace',
      description: 'A form with `session_id`, `file` and the folder as `path`. If the name is taken, a number is added: the answer has ' +
        'the path. 413: above the size limit of uploads. Send a `client_id` to be able to repeat the request safely.',
      body: PlaceForm,
      response: { 200: PlacedFile, ...errors(400, 403, 404, 413, 503), ...inTheWayOfForms }
    }
  }, (request, reply) => received(request, async (form) => {
    if (await request.relayForm?.(reply, form) === true) return reply
    const { sessionId, path, file } = form
    const [territory, folder] = [territories.changing(sessionId), path ?? '.']
    const placed = await idempotency.once(await requestOf('workspace/upload', form), async () =>
      await uploads.place(territory, folder, file), { recover: async () => await uploads.placed(territory, folder, file) })
    return { ok: true, ...uploaded(placed) }
  }))

  app.post('/api/upload/extract', {
    config: { scope: 'approve', relay: true },
    schema: {
      consumes,
      summary: 'Upload an archive and unpack it into a new folder of the workspace',
      description: 'A form with `session_id`, `file` and the folder as `path`: a zip, tar or tar.gz file, refused as a whole if it is ' +
        'unsafe (400 `unsafe_archive`). `dest` is the new folder.',
      body: PlaceForm,
      response: { 200: ExtractedFiles, ...errors(400, 403, 404, 413, 503), ...inTheWayOfForms }
    }
  }, (request, reply) => received(request, async (form) => {
    if (await request.relayForm?.(reply, form) === true) return reply
    const { sessionId, path, file } = form
    const [territory, folder] = [territories.changing(sessionId), path ?? '.']
    return extracted(await idempotency.once(
      await requestOf('upload/extract', form), async () => await uploads.extractArrival(territory, folder, file),
      { recover: async () => await uploads.extractAgain(territory, folder, file) }
    ))
  }))
}
export default plugin

function uploaded ({ name, path, sizeBytes, type, isImage }: Uploaded): Static<typeof AttachedFile> {
  return { filename: name, path, size: sizeBytes, mime: type, is_image: isImage }
}

function extracted ({ folder, fileCount, files, truncated, leftOut }: Extracted): Static<typeof ExtractedFiles> {
  return { ok: true, extracted: fileCount, files, truncated, skipped: leftOut, dest: folder }
}
