// How the service is bundled, for dist/ and for the tests.
import { readdirSync, readFileSync } from 'node:fs'

/**
 * What is started by its path: the service, its commands, its agent host, worker threads, backups, the agent of editors, and models that
 * listen.
 */
export const entries = [
  'server.ts', 'backup.ts', 'restore.ts', 'audit.ts', 'doctor.ts', 'cli/main.ts', 'acp/main.ts', 'machine/main.ts', 'services/agent/host/main.ts',
  'services/agent/policy/thread.ts', 'services/agent/foresight/thread.ts', 'services/areas/backups/main.ts', 'services/threads/main.ts',
  'services/areas/voice/local/main.ts'
]

/** Returns the files and folders that a build of the service is made of, besides those that were built before it. */
export const sources = () => [
  ...readdirSync('.').filter((name) => name.endsWith('.ts')), 'acp', 'cli', 'clients/typescript/src', 'formulas', 'machine', 'plugins', 'routes',
  'schedules', 'schemas', 'services', 'web/src/core', 'web/src/words/en', 'drizzle', 'skills', 'packaging/licences', 'docs/config.schema.json',
  'docs/openapi.json', 'tsconfig.json',
  ...['static', 'login.html', 'pair.html', 'error.html', 'sw.js'].map((name) => `web/${name}`),
  ...['build-service', 'builds', 'bundle', 'packages', 'third-party'].map((name) => `scripts/${name}.js`)
]

const fetchTest = 'obj instanceof Response'

/**
 * `@fastify/compress` asks of each payload whether it is a response of fetch: to name that class loads all of fetch, with the first answer.
 * Fastify itself asks it this way.
 * @type {import('esbuild').Plugin}
 */
const withoutFetch = {
  name: 'without-fetch',
  setup (build) {
    build.onLoad({ filter: /@fastify.compress.lib.utils\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (!text.includes(fetchTest)) throw new Error(`${path} does not contain "${fetchTest}" any more`)
      return { contents: text.replace(fetchTest, "Object.prototype.toString.call(obj) === '[object Response]'") }
    })
  }
}

/** @type {import('esbuild').BuildOptions & { external: string[] }} */
export const bundling = {
  outbase: '.',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.14',
  logLevel: 'warning',
  // Imports of nothing but types go altogether; left as `import "x"`, they would load what is only named.
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: false, target: 'es2022' } },
  plugins: [withoutFetch],
  // Has readable-stream hand out Node's own streams, as it offers, instead of its copy of them.
  define: { 'process.env.READABLE_STREAM': '"disable"' },
  // Native code, programs, and packages that find files of theirs beside their own code.
  external: ['better-sqlite3', '@fastify/swagger-ui', '@vscode/ripgrep', 'turndown', 'piscina',
    // Optional: where they are not installed, previews of office files are unavailable.
    'mammoth', 'read-excel-file', 'fflate']
}
