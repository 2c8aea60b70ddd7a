import { spawnSync } from 'node:child_process'
import { cpSync, realpathSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t from '#test'
import { problemsIn } from '../support/compiler.js'
import { temporaryFolder } from '../support/folder.js'
import { spawnServer } from '../support/server.js'

const project = ['app.ts', 'server.ts', 'audit.ts', 'doctor.ts', 'backup.ts', 'restore.ts', 'acp', 'cli', 'clients', 'formulas', 'machine', 'packaging', 'package.json', 'tsconfig.json', 'docs', 'drizzle', 'plugins', 'reasons', 'routes', 'schedules', 'schemas', 'scripts', 'services', 'site', 'skills', 'web']

t.test('an area that is begun as the docs say compiles, starts, answers, and is in the document', async (t) => {
  const folder = temporaryFolder(t, 'area')
  for (const path of project) cpSync(path, join(folder, path), { recursive: true })
  symlinkSync(realpathSync('node_modules'), join(folder, 'node_modules'))
  const script = (...args: string[]): string => {
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    return stdout + stderr
  }

  t.match(script('scripts/new-area.js', 'greetings'), /schemas\/greetings\.ts.*app\.ts/)
  t.match(script('scripts/new-area.js', 'greetings'), /There is schemas\/greetings\.ts/, 'nothing is overwritten')
  t.match(script('scripts/new-area.js', '../x'), /usage/)
  t.same(problemsIn(folder, { extends: resolve('tsconfig.json'), compilerOptions: { rootDir: '.', incremental: false, tsBuildInfoFile: null }, include: ['app.ts', 'plugins', 'routes', 'schemas', 'services'] }), [])

  script('node_modules/tsx/dist/cli.mjs', 'scripts/write-documents.ts')
  script('scripts/build-service.js')
  const server = await spawnServer(t, join(folder, 'state'), {}, join(folder, 'dist', 'server.js'))
  t.match(await server.json('/api/greetings/save', { text: 'Hello' }), { text: 'Hello', updated_at: Number })
  t.match(await server.json('/api/greetings'), { text: 'Hello' })
  const document = await server.json('/docs/json')
  t.match(document.paths['/api/greetings'].get, { operationId: 'getGreetings', responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Greetings' } } } }, 401: {} } })
  t.equal(await server.end('SIGTERM'), 0)
})
