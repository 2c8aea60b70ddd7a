import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { asset } from '../../services/ground/assets.js'
import { lockStateFolder, openDatabase } from '../../services/ground/database/index.js'
import { temporaryFolder } from '../support/folder.js'
import { spawnServer } from '../support/server.js'

interface Outcome { code: number, output: string, errors: string }

async function doctor (folder: string, args: string[] = [], env: Record<string, string> = {}): Promise<Outcome> {
  return await new Promise((resolve) => {
    execFile(process.execPath, [asset('dist/doctor.js'), ...args], {
      cwd: folder, env: { PATH: process.env.PATH, HOME: folder, SVC_HOME: join(folder, 'home'), SVC_WEBUI_PORT: '1', ...env }
    }, (error, output, errors) => { resolve({ code: error === null ? 0 : Number(error.code), output, errors }) })
  })
}

/** Creates a folder with a database that has content, and the other files of its state folder. */
function prepared (t: Parameters<typeof temporaryFolder>[0]) {
  const folder = temporaryFolder(t, 'doctor')
  const state = join(folder, 'home', 'webui')
  mkdirSync(state, { recursive: true, mode: 0o700 })
  chmodSync(join(folder, 'home'), 0o700)
  const file = join(state, 'service.db')
  openDatabase({ file }).close()
  const listed = (): string[] => readdirSync(state).toSorted().map((name) => {
    const { size, mtimeMs } = statSync(join(state, name))
    return `${name} ${size} ${mtimeMs}`
  })
  return { folder, state, file, listed }
}

t.test('a service that does not run: its database is whole, damaged, truncated, newer, no database, or not there', async (t) => {
  const { folder, file, listed } = prepared(t)
  const before = listed()
  const well = await doctor(folder)
  t.match(well, { code: 0, errors: '', output: /✓ Database: The database is intact: .*no damage found[^]*No problems found\.\n|✓ Database[^]*\d warnings?\.\n$/ })
  t.same(listed(), before, 'nothing is changed, and nothing is left')

  const whole = readFileSync(file)
  const damaged = Buffer.from(whole)
  damaged.fill(0xee, 5 * 4096, damaged.length - 4096)
  for (const [bytes, words] of [
    [damaged, /✗ Database: The database .*(is|are) damaged.*\n.*Restore a backup[^]*node scripts\/cli\.js restore/], [Buffer.from('x'.repeat(9_000)), /✗ Database: .*is not a database/],
    [whole.subarray(0, 8_192), /✗ Database: The database .* is truncated/]
  ] as const) {
    writeFileSync(file, bytes)
    const kept = listed()
    t.match(await doctor(folder), { code: 1, output: words })
    t.same(listed(), kept)
  }
  writeFileSync(file, whole)
  const newer = openDatabase({ file })
  newer.sqlite.exec("insert into __drizzle_migrations (hash, created_at) values ('later', 9999999999999)")
  newer.close()
  t.match(await doctor(folder), { code: 1, output: /✗ Database: .*was written by a newer program/ })
})

t.test('a folder that others can open, an environment that is wrong, options that are wrong, a token that could be read on the way', { long: true }, async (t) => {
  const { folder, state } = prepared(t)
  chmodSync(state, 0o777)
  const open = await doctor(folder, ['--json'])
  t.equal(open.code, 1)
  const { status, local } = JSON.parse(open.output)
  t.equal(status, 'error')
  t.match(local.find(({ id }: { id: string }) => id === 'state-folder'), { status: 'error', message: 'Every user of this machine can open ~/home/webui.' })
  chmodSync(state, 0o700)
  const wrong = await doctor(folder, [], { SVC_WEBUI_HOST: '0.0.0.0', SVC_WEBUI_BACKUP_KEEP: 'many', SVC_WEBUI_PASSWORD: '' })
  t.match(wrong, { code: 1, output: /✗ Environment: SVC_WEBUI_BACKUP_KEEP must be/ })
  t.match(await doctor(folder, [], { SVC_WEBUI_HOST: '0.0.0.0' }), { code: 1, output: /✗ Environment: SVC_WEBUI_HOST=0\.0\.0\.0[^]*✓ Database/ })
  for (const args of [['--hold=0'], ['--url=ftp://x'], ['--url=http://a:99999'], ['--what']]) t.equal((await doctor(folder, args)).code, 2)
  const { output } = await doctor(folder, ['--url=http://0.0.0.0:2'], { SVC_TOKEN: 'svct_x' })
  t.match(output, /! Token: The token was not sent[^]*✗ Event streams: .*cannot be reached at this address \(ECONNREFUSED\)/)
  t.match(await doctor(folder, ['--help']), { code: 0, output: /node scripts\/cli\.js doctor/ })
})

t.test('beside a running service: its report, by its socket or with a token, and the way to it', async (t) => {
  const folder = temporaryFolder(t, 'doctor')
  mkdirSync(join(folder, 'home', 'webui'), { recursive: true, mode: 0o700 })
  chmodSync(join(folder, 'home'), 0o700)
  const password = 'correct horse battery'
  const server = await spawnServer(t, folder, { SVC_WEBUI_PASSWORD: password })
  const env = { SVC_WEBUI_PORT: new URL(server.url).port, SVC_WEBUI_PASSWORD: password }
  const near = await doctor(folder, [], { SVC_WEBUI_PASSWORD: password })
  t.match(near.output, /✓ Port: The service answers[^]*The service, version[^]*Database: [^]*Model providers/, 'its own user needs no token, and no port')
  const without = await doctor(folder, [], { ...env, SVC_WEBUI_STATE_DIR: join(folder, 'elsewhere') })
  t.match(without.output, /✓ Port: The service answers[^]*- Report of the service: .*token/)

  const stopped = prepared(t)
  const beside = await doctor(stopped.folder, [], { SVC_WEBUI_PORT: env.SVC_WEBUI_PORT })
  t.match(beside, { code: 1, output: /✗ Port: Another program already listens[^]*✓ Database/ }, 'it is not taken for the service of another folder')
  t.notMatch(beside.output, 'The service, version')

  const refused = await doctor(folder, ['--hold=1'], { ...env, SVC_URL: server.url })
  t.match(refused, { code: 1, output: /status 401\.\n +The service requires a sign-in\. Give the doctor a token[^]*SVC_TOKEN=\$\(.*token create --name doctor --scope admin[^]*doctor --url http/ })

  const signedIn = await fetch(`${server.url}/api/auth/login`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ password })
  })
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const made = await fetch(`${server.url}/api/auth/tokens/create`, {
    method: 'POST', headers: { 'content-type': 'application/json', cookie }, body: JSON.stringify({ name: 'doctor', scope: 'admin' })
  })
  const { token } = await made.json() as { token: string }
  const withToken = await doctor(folder, ['--hold=1'], { ...env, SVC_TOKEN: token, SVC_URL: server.url })
  t.match(withToken.output, /The service, version[^]*Database: [^]*Model providers[^]*Connection to the service\n✓ Event streams[^]*✓ Uploads/)
  t.equal(withToken.output.match(/ State folder/g)?.length, 1, 'what the service has checked is told once')
  for (const secret of [token, password]) t.notOk(withToken.output.includes(secret))
  t.equal((await server.json('/health')).status, 'ok')
})

t.test('a process that has the state folder is not disturbed', async (t) => {
  const { folder, state } = prepared(t)
  const unlock = lockStateFolder(state)
  t.teardown(unlock)
  t.match(await doctor(folder), { code: 0, output: /- Database: .*in use by another process/ })
})
