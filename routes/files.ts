import { type Static } from '@sinclair/typebox'
import { Readable } from 'node:stream'
import { type SharedRoutes } from '../plugins/ground/shared-app.js'
import {
  folderZip, int64, isHtml, isActive, mediaKind, openAttachment, openRaw, readText, typeOf, type FoundPath, type ReadText
} from '../services/workspace/files/index.js'
import { mayUse } from '../services/areas/auth/index.js'
import { remoteFolder } from '../services/ground/location.js'
import { attachmentFolder } from '../services/workspace/index.js'
import { errors, isOn } from '../schemas/common.js'
import {
  DownloadQuery, type Entry, FileBytes, FileMatches, FileQuery, FileSearchQuery, FileText, FolderList, FolderQuery, MediaQuery, PartOfFile,
  RawQuery, Unchanged, ZipBytes
} from '../schemas/files.js'
import { wholeNumber } from './shared/numbers.js'
import {
  disposition, namesTag, refuseAsCode, sendFinished, sendOpened, sendStream, sendUnchanged, whileListening
} from './shared/sending.js'

const tags = ['files']
const usualMatches = 30
const mostMatches = 100

/** What is in a session's folder: listed, read, shown and taken along. */
const plugin: SharedRoutes = async (app) => {
  const { config, files: { media }, sessions, workers, workspace: { territories } } = app

  app.get('/api/list', {
    config: { scope: 'read', finishedBytes: true, relay: true },
    schema: {
      tags,
      summary: 'List a folder',
      description: 'Symlinks first, then folders, then files. `path` is relative to the workspace; empty: the workspace. `signature` ' +
        'changes whenever anything in the list changes, and is the `ETag`. 404: no such folder in the workspace. 503 ' +
        '`host_unreachable`: its machine is away.',
      querystring: FolderQuery,
      response: { 200: FolderList, 304: Unchanged, ...errors(400, 403, 404, 503) }
    }
  }, async ({ query, headers }, reply) => {
    const territory = await territories.reading(query.session_id)
    const {
      signature, json, compressed
    } = await app.files.lists.list(territory, query.path === undefined || query.path === '' ? '.' : query.path)
    const etag = `W/"${signature}"`
    reply.headers({ ETag: etag, 'Cache-Control': 'private, no-cache', Vary: 'Accept-Encoding' })
    if (namesTag(headers['if-none-match'], etag)) return await sendUnchanged(reply)
    if (!/\bgzip\b/.test(headers['accept-encoding'] ?? '')) return await sendFinished(reply, json)
    await sendFinished(reply.header('content-encoding', 'gzip'), await compressed())
  })

  app.get('/api/file', {
    config: { scope: 'read', showsFiles: true, relay: true },
    schema: {
      tags,
      summary: 'Read a file as text, or the text of an office document',
      description: 'UTF-8 up to 400,000 bytes, else 404 `too_large`. Keep `version` for `if_match` of a save. `is_lossy`: some bytes ' +
        'had to be replaced; `is_binary`: there is no text. Word, Excel and PowerPoint files come as text with a `preview`.',
      querystring: FileQuery,
      response: { 200: FileText, ...errors(400, 403, 404, 503) }
    }
  }, async ({ query }) => {
    const file = await readText(await territories.reading(query.session_id), query.path, workers)
    return fileToWire(file)
  })

  app.get('/api/file/search', {
    config: { scope: 'read', showsFiles: true, relay: true },
    schema: {
      tags,
      summary: 'Find files and folders by parts of their paths',
      description: 'Fuzzy, the best matches first, in the whole workspace; files that git ignores are left out. `truncated`: the search ' +
        'stopped at a limit. 429: a later search of this client has overtaken it; ignore it.',
      querystring: FileSearchQuery,
      response: { 200: FileMatches, ...errors(400, 404, 429, 503) }
    }
  }, async (request, reply) => {
    const { session_id: id, q: query = '', limit } = request.query
    const territory = await territories.reading(id)
    const client = `${request.operator?.csrfToken ?? ''} ${request.ip} ${id}`
    const { found, isPart } = await whileListening(reply, async (signal) => await app.files.search.find({
      territory, query, client, signal, limit: Math.min(mostMatches, Math.max(1, wholeNumber(limit) ?? usualMatches))
    }))
    return { entries: found.map(foundToWire), query, workspace: territory.root, truncated: isPart }
  })

  app.get('/api/file/raw', {
    config: { scope: 'read', embedded: true, relay: { attachments: 'after' } },
    compress: false,
    preHandler: refuseAsCode,
    schema: {
      tags,
      summary: 'Download a file of the workspace, or an attachment of the session',
      description: 'Bytes, with ranges and an `ETag`. `download=1` saves instead of showing; HTML, SVG and XML are shown only with ' +
        '`inline=1`. What is not in the workspace is looked for among the attachments. 404: no such file. 416: the range lies behind ' +
        'its end.',
      querystring: RawQuery,
      response: { 200: FileBytes, 206: PartOfFile, 304: Unchanged, ...errors(400, 403, 404, 416) }
    }
  }, async (request, reply) => {
    const { session_id: id, path, download, inline } = request.query
    const attachments = sessions.has(id) ? attachmentFolder(config.stateDir, id) : null
    // What is not in the workspace of another machine was looked for there; what was attached is here.
    const isElsewhere = attachments !== null && remoteFolder(sessions.folderOf(id).workspace) !== null
    const opened = isElsewhere ? await openAttachment(attachments, path) : await openRaw(await territories.reading(id), attachments, path)
    const isSaved = isOn(download) || (isActive(typeOf(opened.real)) && !isOn(inline))
    await sendOpened(request, reply, opened, { as: isSaved ? 'attachment' : 'inline' })
  })

  app.get('/api/media', {
    config: { scope: 'read', embedded: true, relay: { attachments: 'before', tellsMention: true } },
    compress: false,
    preHandler: refuseAsCode,
    schema: {
      tags,
      summary: 'Get a file that a conversation shows, by its absolute path',
      description: 'Opens files of workspaces, attachments and media folders, and images, sound, video, PDF and HTML that the agent has ' +
        'named. Anything else is a 403, whether or not it exists. Bytes, with ranges and an `ETag`.',
      querystring: MediaQuery,
      response: { 200: FileBytes, 206: PartOfFile, 304: Unchanged, ...errors(400, 403, 404, 416) }
    }
  }, async (request, reply) => {
    const { path, session_id: id, inline } = request.query
    // What a conversation shows may lie anywhere, and whoever may chat has a say in what it shows.
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
    // All that is in the folder is read and packed.
    config: { scope: 'read', changes: 'opened', relay: true },
    compress: false,
    schema: {
      tags,
      summary: 'Download a folder as a zip archive',
      description: 'The archive is made while it is sent. 413 with `limit` or `limit_bytes` above 50,000 files or 1,024 MiB. A text ' +
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
export default plugin

function fileToWire ({ path, content, sizeBytes, lines, mtimeNs, version, isBinary, isLossy, preview }: ReadText): Static<typeof FileText> {
  return {
    path,
    content,
    size: sizeBytes,
    lines,
    mtime_ns: int64(mtimeNs),
    version,
    mime: typeOf(path),
    is_binary: isBinary,
    is_lossy: isLossy,
    preview: preview === null
      ? null
      : { kind: preview.kind, truncated: preview.isTruncated, sheets: preview.sheets, slides: preview.slides }
  }
}

function foundToWire ({ path, isFolder, sizeBytes, modifiedNs }: FoundPath): Static<typeof Entry> {
  return {
    name: path.slice(path.lastIndexOf('/') + 1),
    path,
    type: isFolder ? 'dir' : 'file',
    is_dir: isFolder,
    size: isFolder ? null : Number(sizeBytes),
    mtime_ns: int64(modifiedNs),
    modified: Number(modifiedNs / 1_000_000n) / 1_000,
    workspace_sort_rank: isFolder ? 1 : 2
  }
}
