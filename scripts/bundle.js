// Bundling of the service, for dist/ and for the tests.
import { readdirSync, readFileSync } from 'node:fs'

/**
 * Files that are started by their path: the service, its commands, its agent host, worker threads, backups, the agent for editors, speech
 * recognition, and the reader of other programs' databases.
 */
export const entries = [
  'server.ts', 'backup.ts', 'restore.ts', 'audit.ts', 'doctor.ts', 'cli/main.ts', 'acp/main.ts', 'machine/main.ts', 'services/agent/host/main.ts',
  'services/agent/policy/thread.ts', 'services/agent/foresight/thread.ts', 'services/areas/backups/main.ts', 'services/threads/main.ts',
  'services/areas/voice/local/main.ts', 'services/areas/foreign/opencode/main.ts'
]

/** Returns the files and folders that a build of the service is made of, apart from the builds that are made before it. */
export const sources = () => [
  ...readdirSync('.').filter((name) => name.endsWith('.ts')), 'acp', 'cli', 'clients/typescript/src', 'formulas', 'machine', 'plugins', 'routes',
  'reasons', 'schedules', 'schemas', 'services', 'web/src/core', 'web/src/words/en', 'web/src/words/formatter.ts',
  'web/src/words/spans.ts', 'drizzle', 'skills', 'packaging/licences', 'docs/config.schema.json',
  'docs/openapi.json', 'tsconfig.json',
  ...['static', 'login.html', 'pair.html', 'error.html'].map((name) => `web/${name}`),
  ...['build-service', 'builds', 'bundle', 'credential-patterns', 'packages', 'third-party'].map((name) => `scripts/${name}.js`)
]

/** Changes to packages whose code costs time at every start. */
const changes = [
  {
    // It checks of each payload whether it is a Response: naming that class loads all of fetch with the first answer. Fastify
    // itself checks it this way.
    file: /@fastify.compress.lib.utils\.js$/,
    from: 'obj instanceof Response',
    to: "Object.prototype.toString.call(obj) === '[object Response]'"
  },
  {
    // It searches for files by pattern only when it registers a route for each file, which the service does not use.
    file: /@fastify.static.index\.js$/,
    from: "const { glob } = require('glob')",
    to: 'const glob = undefined'
  },
  {
    // It compiles a function for each new part of a path; the service has more than a thousand of them.
    file: /find-my-way.lib.node\.js$/,
    from: 'const lines = []',
    to: 'return (path, i) => path.startsWith(prefix, i)'
  },
  {
    // It compiles a function for each route, mostly for one without parameters.
    file: /find-my-way.lib.handler-storage\.js$/,
    from: 'const fnBody = ["\'use strict\'"]',
    to: `return (param0, param1, param2, param3, extraParams) => {
      const made = new NullObject()
      const values = [param0, param1, param2, param3]
      for (let i = 0; i < params.length; i++) made[params[i]] = i < 4 ? values[i] : extraParams[i - 4]
      return made
    }
    const fnBody = []`
  },
  {
    // And another one, which a route that is found by its method and path alone does not need.
    file: /find-my-way.lib.handler-storage\.js$/,
    from: 'if (!isMergedTree) {',
    to: `if (this.constraints.length === 0) {
      this._getHandlerMatchingConstraints = () => this.unconstrainedHandler
    } else if (!isMergedTree) {`
  },
  {
    // It loads each route as a plugin of its own, only to read what the plugin around it has set. That is also known when all is loaded.
    file: /fastify.lib.route\.js$/,
    from: 'this.after((notHandledErr, done) => {',
    to: "avvio.once('preReady', () => {"
  },
  {
    file: /fastify.lib.route\.js$/,
    from: "// Run hooks and more\n        avvio.once('preReady', () => {",
    to: '{'
  },
  {
    file: /fastify.lib.route\.js$/,
    from: '})\n\n        done(notHandledErr)',
    to: '}'
  },
  {
    // An object whose names are statuses takes as much memory as an array up to the highest of them, unless a far larger number was a name.
    file: /fastify.lib.validation\.js$/,
    from: 'return acc\n    }, {})',
    to: 'return acc\n    }, (() => { const acc = { 4096: 0 }; delete acc[4096]; return acc })())'
  },
  {
    // It searches the answers of each route for schemas in a form that the service does not use. To list the names of an object whose names
    // are numbers takes the engine as much memory as the largest of the numbers.
    file: /fastify.lib.schemas\.js$/,
    from: 'generateFluentSchema(routeSchemas)',
    to: 'routeSchemas[kSchemaVisited] = true; return routeSchemas'
  }
]

/** @type {import('esbuild').Plugin} */
const changed = {
  name: 'changed',
  setup (build) {
    for (const [source, ofFile] of Map.groupBy(changes, ({ file }) => file.source)) {
      build.onLoad({ filter: new RegExp(source) }, ({ path }) => ({
        contents: ofFile.reduce((text, { from, to }) => {
          if (!text.includes(from)) throw new Error(`${path} does not contain "${from}" any more`)
          return text.replace(from, () => to)
        }, readFileSync(path, 'utf8'))
      }))
    }
  }
}

/**
 * Of all that this package knows of types, only whether they can be compressed is looked up.
 * @type {import('esbuild').Plugin}
 */
const reduced = {
  name: 'reduced',
  setup (build) {
    build.onLoad({ filter: /mime-db.db\.json$/ }, ({ path }) => ({
      loader: 'json',
      contents: JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(readFileSync(path, 'utf8'))).flatMap(([type, { compressible }]) =>
        compressible === true ? [[type, { compressible }]] : [])))
    }))
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
  // Removes imports that only import types; left as `import "x"`, they would load modules of which only types are used.
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: false, target: 'es2022' } },
  plugins: [changed, reduced],
  // Makes readable-stream export Node's own streams, an option that it offers, instead of its copy of them.
  define: { 'process.env.READABLE_STREAM': '"disable"' },
  // Native code, programs, and packages that look for their own files beside their code.
  external: ['better-sqlite3', '@fastify/swagger-ui', '@vscode/ripgrep', 'turndown', 'piscina',
    // Optional: if they are not installed, previews of office files are unavailable.
    'mammoth', 'read-excel-file', 'fflate']
}
