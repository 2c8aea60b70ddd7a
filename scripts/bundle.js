// How the service is bundled, for dist/ and for the tests.

/** What is started by its path: the service, its agent host, worker threads, backups, the agent of editors, and models that listen. */
export const entries = [
  'server.ts', 'backup.ts', 'restore.ts', 'audit.ts', 'doctor.ts', 'acp/main.ts', 'machine/main.ts', 'services/agent/host/main.ts',
  'services/agent/policy/thread.ts', 'services/agent/foresight/thread.ts', 'services/areas/backups/main.ts', 'services/threads/main.ts',
  'services/areas/voice/local/main.ts'
]

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
  // Native code, programs, and packages that find files of theirs beside their own code.
  external: ['better-sqlite3', '@fastify/swagger-ui', '@vscode/ripgrep', 'turndown', 'piscina',
    // Optional: where they are not installed, previews of office files are unavailable.
    'mammoth', 'read-excel-file', 'fflate']
}
