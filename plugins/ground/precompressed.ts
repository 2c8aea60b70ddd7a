import { type FastifyInstance } from 'fastify'
import { hash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress, constants, gzip } from 'node:zlib'
import { accepts } from '../../services/ground/network/accepted-encoding.js'

const decompress = promisify(brotliDecompress)
const compress = promisify(gzip)
const suffix = '.br'
const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html', '.md': 'text/markdown', '.svg': 'image/svg+xml', '.json': 'application/json'
}

/**
 * Lets the routes of a scope that serve a folder at `/*` also serve the texts in it that a build keeps only compressed, as `<name>.br`
 * (scripts/build-service.js). Clients that do not accept Brotli, such as
 * browsers without TLS, get a file with gzip, compressed once.
 */
export function servePrecompressed (own: FastifyInstance, { root, cacheControl }: { root: string, cacheControl: string }): void {
  const names = new Set(readdirSync(root, { recursive: true, encoding: 'utf8' }).flatMap((name) => name.endsWith(suffix) ? name.slice(0, -suffix.length) : []))
  const zipped = new Map<string, Promise<Buffer>>()

  const zip = async (name: string, packed: Buffer): Promise<Buffer> => {
    const made = zipped.get(name) ?? decompress(packed).then(async (text) => await compress(text, { level: constants.Z_BEST_COMPRESSION }))
    zipped.set(name, made)
    made.catch(() => zipped.delete(name))
    return await made
  }

  own.addHook('preHandler', async (request, reply) => {
    const name = ((request.params as { '*'?: string })['*'] ?? '').replace(/(^|\/)$/, '$1index.html')
    if (!names.has(name)) return
    const packed = await readFile(join(root, `${name}${suffix}`))
    const etag = `W/"${hash('sha256', packed, 'base64url').slice(0, 22)}"`
    const vary = reply.getHeader('vary')
    reply.headers({ ETag: etag, 'Cache-Control': cacheControl, Vary: vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding` })
    if (request.headers['if-none-match'] === etag) return await reply.code(304).send('')
    const type = types[extname(name)]
    if (type !== undefined) reply.type(`${type}; charset=utf-8`)
    const accepted = request.headers['accept-encoding']
    if (accepts(accepted, 'br')) return await reply.header('Content-Encoding', 'br').send(packed)
    if (accepts(accepted, 'gzip')) return await reply.header('Content-Encoding', 'gzip').send(await zip(name, packed))
    return await reply.send(await decompress(packed))
  })
}
