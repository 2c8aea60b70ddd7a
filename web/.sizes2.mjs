// sizes of modules in chunks: node x.mjs chunkName
import { build } from 'vite'
import { gzipSync } from 'node:zlib'
process.chdir('/tmp/wt/app-load/web')
const want = process.argv.slice(2)
const r = await build({ configFile: 'vite.config.js', build: { write: false, rolldownOptions: { preserveEntrySignatures: false } }, plugins: [] })
for (const c of r.output) {
  if (c.type !== 'chunk' || !want.some((w) => c.fileName.startsWith(w))) continue
  console.log('##', c.fileName, c.code.length, gzipSync(c.code).length, 'imports', c.imports.join(' '))
  const ms = Object.entries(c.modules).map(([id, m]) => [id.replace(/.*\/(node_modules|src)\//, ''), m.renderedLength]).sort((a, b) => b[1] - a[1])
  for (const [id, n] of ms.slice(0, 200)) if (n > 0) console.log(String(n).padStart(7), id)
}
