import { type Static } from '@sinclair/typebox'
import { whileListening } from '../plugins/ground/listening.js'
import { type SharedRoutes } from '../plugins/ground/shared-app.js'
import { accepts } from '../services/ground/network/accepted-encoding.js'
import { int64, readText, typeOf, type FoundPath, type ReadText } from '../services/workspace/files/index.js'
import { errors } from '../schemas/common.js'
import { type Entry, FileMatches, FileQuery, FileSearchQuery, FileText, FolderList, FolderQuery, Unchanged } from '../schemas/files.js'
import { downloads } from './files-downloads.js'
import { wholeNumber } from './shared/numbers.js'
import { namesTag, sendFinished, sendUnchanged } from './shared/sending.js'
import { tagged } from './shared/tagged.js'

const usualMatches = 30
const mostMatches = 100

/** The files in a session's folder: listing, reading and finding them. */
const plugin: SharedRoutes = async (app) => {
  app.addHook('onRoute', tagged('files'))
  const { workers, workspace: { territories } } = app

  app.get('/api/list', {
    config: { scope: 'read', finishedBytes: true, relay: true },
    schema: {
      summary: 'List a folder',
      description: 'Symlinks first, then folders, then files. `path` is relative to the workspace; empty: the workspace. `signature` ' +
        'changes whenever anything in the list changes, and is the `ETag`. 404: no such folder in the workspace. 503 ' +
        '`host_unreachable`: its machine is not connected.',
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
    if (!accepts(headers['accept-encoding'], 'gzip')) return await sendFinished(reply, json)
    await sendFinished(reply.header('content-encoding', 'gzip'), await compressed())
  })

  app.get('/api/file', {
    config: { scope: 'read', showsFiles: true, relay: true },
    schema: {
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
      summary: 'Find files and folders by parts of their paths',
      description: 'A fuzzy search of the whole workspace, best matches first; files that git ignores are left out. `truncated`: the ' +
        'search stopped at a limit. 429: a later search of this client has replaced this one; ignore it.',
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

  await app.register(downloads)
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
