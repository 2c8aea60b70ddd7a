// Compiles the tests and everything they import once, file by file, into .build/: a test process, or a thread in it, then only
// loads what is there, where it would otherwise compile some hundred files of its own.
import { build } from 'esbuild'
import { cpSync, readdirSync, rmSync, symlinkSync } from 'node:fs'

const out = '.build'
const files = ['bench', 'plugins', 'routes', 'schemas', 'services', 'test'].flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile()).map(({ parentPath, name }) => `${parentPath}/${name}`)
const sources = files.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))

rmSync(out, { recursive: true, force: true })
await build({
  entryPoints: ['app.ts', 'server.ts', 'backup.ts', 'restore.ts', ...sources],
  outdir: out,
  outbase: '.',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: 'inline',
  sourcesContent: false,
  logLevel: 'warning'
})
const asTheyAre = files.filter((path) => /\.(?:js|json)$/.test(path))
for (const path of ['package.json', 'drizzle', 'web', ...asTheyAre]) cpSync(path, `${out}/${path}`, { recursive: true })
symlinkSync('../dist', `${out}/dist`)
