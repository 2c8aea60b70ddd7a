// Bundles the tests into .build/, with their common code in shared chunks: a test process then reads a few files, instead of finding and
// compiling a thousand, including those of the packages. With arguments, only these tests.
import { build } from 'esbuild'
import { cpSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { bundling, entries } from './bundle.js'

const out = '.build'
const named = process.argv.slice(2)
const files = ['bench', 'scripts', 'services', 'test', 'web/test'].flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile()).map(({ parentPath, name }) => `${parentPath}/${name}`)

rmSync(out, { recursive: true, force: true })
await build({
  ...bundling,
  // Besides the tests, files that are started by their path: processes and threads of the service, of the benchmarks and of tests.
  entryPoints: [
    ...named.length > 0 ? named : files.filter((path) => path.endsWith('.test.ts')), 'test/support/several.ts', ...entries,
    'services/ground/redaction/index.ts', 'bench/torture/index.ts', 'bench/fuzz/index.ts', 'bench/endpoint.ts', 'bench/bare.ts'
  ],
  outdir: out,
  // CommonJS packages in an ES module bundle still call require.
  banner: {
    js: "import { createRequire as createRequireForBundle } from 'node:module'; const require = createRequireForBundle(import.meta.url);"
  },
  external: [...bundling.external, 'oidc-provider', 'playwright-core', 'autocannon', 'esbuild'],
  // For the browser app; its look is not tested in Node.
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.css': 'empty' },
  plugins: [...bundling.plugins, {
    name: 'files-of-the-app',
    setup (bundle) {
      bundle.onResolve({ filter: /\?(?:url|raw)$/ }, ({ path }) => ({ path, namespace: 'file-of-the-app' }))
      bundle.onLoad({ filter: /./, namespace: 'file-of-the-app' }, () => ({ contents: 'export default ""' }))
    }
  }],
  sourcemap: 'linked',
  sourcesContent: false
})
const asTheyAre = files.filter((path) => /\.(?:js|json)$/.test(path))
for (const path of [
  'package.json', 'docs/openapi.json', 'drizzle', 'skills', 'site/built', 'web/built', 'web/static', 'web/login.html', 'web/pair.html', 'web/error.html',
  ...asTheyAre
]) cpSync(path, `${out}/${path}`, { recursive: true })
symlinkSync('../dist', `${out}/dist`)
