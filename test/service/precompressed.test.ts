import compress from '@fastify/compress'
import staticFiles from '@fastify/static'
import fastify from 'fastify'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from '#test'
import { servePrecompressed } from '../../plugins/ground/precompressed.js'
import { temporaryFolder } from '../support/folder.js'

const script = `console.log(${JSON.stringify('a'.repeat(3_000))})\n`
const root = temporaryFolder(t, 'packed')
mkdirSync(join(root, 'inner'))
writeFileSync(join(root, 'app-1.js.br'), brotliCompressSync(script))
writeFileSync(join(root, 'inner', 'page.md.br'), brotliCompressSync('# Page\n'))
writeFileSync(join(root, 'inner', 'index.html.br'), brotliCompressSync('<p>Start</p>'))
writeFileSync(join(root, 'plain.txt'), 'plain')

const app = fastify()
await app.register(compress, { threshold: 1024, encodings: ['gzip', 'deflate'] })
await app.register(async (own) => {
  own.addHook('onRequest', async (_, reply) => { reply.header('vary', 'Origin') })
  servePrecompressed(own, { root, cacheControl: 'no-cache' })
  await own.register(staticFiles, { root, prefix: '/files/', cacheControl: false })
})
t.teardown(async () => { await app.close() })
const get = async (path: string, encoding?: string, more: Record<string, string> = {}) => {
  const { statusCode: status, headers, rawPayload: bytes } = await app.inject({
    url: `/files/${path}`, headers: { ...(encoding === undefined ? {} : { 'accept-encoding': encoding }), ...more }
  })
  return { status, headers, bytes }
}

t.test('a text that is stored compressed is sent in the form that a client accepts', async (t) => {
  const browser = await get('app-1.js', 'gzip, deflate, br, zstd')
  t.match(browser, { status: 200, headers: { 'content-encoding': 'br', 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache', vary: 'Origin, Accept-Encoding' } })
  t.equal(brotliDecompressSync(browser.bytes).toString(), script)
  for (const accepted of ['gzip, deflate', 'gzip', 'br;q=0, gzip;q=0.5']) {
    const { headers, bytes } = await get('app-1.js', accepted)
    t.match(headers, { 'content-encoding': 'gzip', 'content-length': String(bytes.length), etag: browser.headers.etag })
    t.equal(gunzipSync(bytes).toString(), script)
  }
  for (const accepted of ['identity', 'br; q=0, gzip;q=0.0', undefined]) {
    const { headers, bytes } = await get('app-1.js', accepted)
    t.equal(headers['content-encoding'], undefined)
    t.equal(bytes.toString(), script)
  }
  const { headers, bytes } = await get('inner/page.md')
  t.equal(headers['content-type'], 'text/markdown; charset=utf-8')
  t.equal(bytes.toString(), '# Page\n')
  t.match(await get('inner/'), { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, bytes: Buffer.from('<p>Start</p>') })
})

t.test('who has it is told so, who asks for its head gets no body, and everything else is as without', async (t) => {
  const { headers: { etag } } = await get('app-1.js')
  t.match(await get('app-1.js', 'br', { 'if-none-match': String(etag) }), { status: 304, bytes: Buffer.alloc(0) })
  const head = await app.inject({ method: 'HEAD', url: '/files/app-1.js', headers: { 'accept-encoding': 'br' } })
  t.match(head, { statusCode: 200, headers: { 'content-encoding': 'br' } })
  t.equal((await get('plain.txt')).bytes.toString(), 'plain')
  for (const path of ['app-2.js', '../packed/app-1.js', 'inner', '']) t.equal((await get(path)).status, 404, path)
})
