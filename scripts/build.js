// Builds dist/: the service, its agent host, worker threads and backups, each bundled with most of what they import, since reading a thousand
// small files is what a start would spend its time on; and beside them the files that are read at run time.
import { build } from 'esbuild'
import { cpSync, rmSync } from 'node:fs'
import { bundling, entries } from './bundle.js'

rmSync('dist', { recursive: true, force: true })
await build({ ...bundling, entryPoints: entries, outdir: 'dist' })
for (const path of ['drizzle', 'web', 'package.json', 'services/providers/catalog.json']) cpSync(path, `dist/${path}`, { recursive: true })
