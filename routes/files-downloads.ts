import { Readable } from 'node:stream'
import { type SharedRoutes } from '../plugins/ground/shared-app.js'
import { folderZip, isActive, isHtml, mediaKind, openAttachment, openRaw, textOfOpened, typeOf } from '../services/workspace/files/index.js'
import { mayUse } from '../services/areas/auth/index.js'
import { remoteFolder } from '../services/ground/remote-folder.js'
import { attachmentFolder } from '../services/workspace/index.js'
import { errors, isOn } from '../schemas/common.js'
import { DownloadQuery, FileBytes, MediaQuery, PartOfFile, RawQuery, Unchanged, ZipBytes } from '../schemas/files.js'
import { disposition, refuseAsCode, sendOpened, sendStream, sendText } from './shared/sending.js'

/** The content of files and folders, for a browser to show or save. */
export const downloads: SharedRoutes = async (app) => {
  const { config, files: { media }, sessions, workers, workspace: { territories } } = app

  app.get('/api/file/raw', {
    config: { scope: 'read', embedded: true, relay: { attachments: 'after' } },
    compress: false,
    preHandler: refuseAsCode,
    schema: {
      summary: 'Download a file of the workspace, or an attachment of the session',
      description: 'Bytes, with ranges and an `ETag`. `download=1` saves instead of showing; HTML, SVG and XML are shown only with ' +
        '`inline=1`. A file that is not in the workspace is looked up among the attachments. 404: no such file. 416: the range begins ' +
        'after its end. With `as=text`, 503: reading it took too long, or the package for it is not installed.',
      querystring: RawQuery,
      response: { 200: FileBytes, 206: PartOfFile, 304: Unchanged, ...errors(400, 403, 404, 416, 503) }
    }
  }, async (request, reply) => {
    const { session_id: id, path, download, inline, as } = request.query
    const attachments = sessions.has(id) ? attachmentFolder(config.stateDir, id) : null
    // The other machine answers for its own workspace; attachments are here.
    const isElsewhere = attachments !== null && remoteFolder(sessions.folderOf(id).workspace) !== null
    const opened = isElsewhere ? await openAttachment(attachments, path) : await openRaw(await territories.reading(id), attachments, path)
    if (as === 'text') return await sendText(reply, await textOfOpened(opened, workers))
    const isSaved = isOn(download) || (isActive(typeOf(opened.real)) && !isOn(inline))
    await sendOpened(request, reply, opened, { as: isSaved ? 'attachment' : 'inline' })
  })

  app.get('/api/media', {
    config: { scope: 'read', embedded: true, relay: { attachments: 'before', tellsMention: true } },
    compress: false,
    preHandler: refuseAsCode,
    schema: {
      summary: 'Get a file that a conversation shows, by its absolute path',
      description: 'Serves files of workspaces, attachments and media folders, and images, audio, video, PDF and HTML that the agent ' +
        'has named. Any other path is a 403, whether or not it exists. Bytes, with ranges and an `ETag`.',
      querystring: MediaQuery,
      response: { 200: FileBytes, 206: PartOfFile, 304: Unchanged, ...errors(400, 403, 404, 416) }
    }
  }, async (request, reply) => {
    const { path, session_id: id, inline } = request.query
    // A conversation may show files from anywhere, and every client with the scope `chat` can influence what it shows.
    const isNarrow = !mayUse(request.operator, 'admin')
    const opened = await media.open(path, { profile: request.activeProfile(), sessionId: id === '' ? undefined : id, isNarrow })
    const type = typeOf(opened.real)
    const kind = mediaKind(type)
    const isShown = kind === 'image' || (kind !== 'other' && isOn(inline))
    await sendOpened(request, reply, opened, {
      as: isShown ? 'inline' : 'attachment', ...(isHtml(type) ? { cacheControl: 'no-store' } : {})
    })
  })

  app.get('/api/folder/download', {
    // The whole folder is read and packed.
    config: { scope: 'read', changes: 'opened', relay: true },
    compress: false,
    schema: {
      summary: 'Download a folder as a zip archive',
      description: 'The archive is created while it is sent. 413 with `limit` or `limit_bytes` above 50,000 files or 1,024 MiB. A text ' +
        'file at its end names what could not be read.',
      querystring: DownloadQuery,
      response: { 200: ZipBytes, ...errors(400, 403, 404, 413, 503) }
    }
  }, async (request, reply) => {
    const { session_id: id, path } = request.query
    const zip = await folderZip(await territories.reading(id), path, { workers })
    reply.type('application/zip').headers({
      'Content-Disposition': disposition('attachment', `${zip.name}.zip`), 'Cache-Control': 'no-store', Connection: 'close'
    })
    await sendStream(reply, request.method === 'HEAD' ? Readable.from([]) : zip.open())
  })
}
