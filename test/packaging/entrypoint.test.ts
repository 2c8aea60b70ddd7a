import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import t from '#test'
import { capture } from '../../services/ground/process/capture.js'
import { temporaryFolder } from '../support/folder.js'
import { listening } from '../support/listening.js'

const entrypoint = resolve('packaging/docker/entrypoint.sh')

/** Runs the entrypoint as a user that fake programs simulate. */
function setUp (t: Parameters<typeof temporaryFolder>[0], { user = '1000', known = ['1000'] }: { user?: string, known?: string[] } = {}) {
  const folder = temporaryFolder(t, 'entrypoint')
  const [programs, data, home] = ['bin', 'data', 'home'].map((name) => join(folder, name)) as [string, string, string]
  for (const path of [programs, data, home]) mkdirSync(path)
  const program = (name: string, text: string): void => writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  program('id', `echo "\${FAKE_USER:-${user}}"`)
  program('getent', `case " ${known.join(' ')} " in *" $2 "*) echo "name:x:$2:$2::$HOME:/bin/sh" ;; *) exit 2 ;; esac`)
  // Prints what it was asked to become, and runs the rest as that user.
  program('setpriv', 'while [ "$1" != "$0" ]; do case "$1" in --reuid) FAKE_USER=$2 ;; /*) break ;; esac; printf "%s " "$1"; shift; done; echo; export FAKE_USER; exec "$@"')
  program('tini', '[ "$1 $2" = "-s --" ] && shift 2 && exec "$@"')
  program('chown', 'echo "chown $*"')
  const run = (env: Record<string, string> = {}, command = ['sh', '-c', 'echo "ran as $(id -u), umask $(umask), TMPDIR $(printenv TMPDIR || echo none)"']) => {
    const { status, stdout, stderr } = spawnSync('/bin/sh', [entrypoint, ...command], {
      encoding: 'utf8', env: { PATH: `${programs}:/usr/bin:/bin`, HOME: home, SVC_HOME: data, SVC_WEBUI_DEFAULT_WORKSPACE: data, ...env }
    })
    return { status, stdout, stderr }
  }
  return { run, data, home, program }
}

t.test('it starts the command as who it is', (t) => {
  const { run, home } = setUp(t)
  t.match(run(), { status: 0, stdout: 'ran as 1000, umask 0022, TMPDIR none\n' })
  t.match(run({ UMASK: '002' }).stdout, /umask 0002/)
  t.equal(run({}, ['sh', '-c', 'exit 7']).status, 7)
  t.match(run({}, ['echo', 'a  b', '$c']).stdout, 'a  b $c', 'words stay as they are')
  t.notOk(existsSync(join(home, '.passwd')))
})

t.test('started as root it becomes PUID and PGID, and takes no rights along', (t) => {
  const { run } = setUp(t, { user: '0', known: ['99', '1000'] })
  const { status, stdout } = run({ PUID: '99', PGID: '100' })
  t.equal(status, 0)
  t.match(stdout, /--reuid 99 --regid 100 --clear-groups --inh-caps=-all --no-new-privs/)
  t.match(stdout, /ran as 99/)
  t.match(run({}).stdout, /--reuid 1000 --regid 1000/, 'never root')
})

t.test('numbers that are none, and users that it cannot become, are refused with what to do', (t) => {
  const root = setUp(t, { user: '0' })
  for (const PUID of ['0', 'root', '-1', '1 2', '01', '4294967296', '$(id)', '1;id']) t.match(root.run({ PUID }), { status: 64, stdout: '', stderr: /^PUID must be the number/ }, PUID)
  t.match(root.run({ PGID: 'users' }), { status: 64, stderr: /^PGID must be/ })
  const { run } = setUp(t)
  t.match(run({ PUID: '99' }), { status: 64, stderr: /runs as user 1000, so PUID=99 cannot be used: start it with --user 99:99/ })
  t.match(run({ PUID: '1000' }), { status: 0 }, 'the one that it is')
  for (const UMASK of ['8', '22', 'u=rwx', '0999']) t.match(run({ UMASK }), { status: 64, stderr: /^UMASK must be/ }, UMASK)
})

t.test('a user without a name gets one for ssh, unless the home folder cannot be written', (t) => {
  const { run, home } = setUp(t, { user: '12345' })
  t.equal(run().status, 0)
  t.equal(readFileSync(join(home, '.passwd'), 'utf8'), `agent:x:12345:12345:agent:${home}:/bin/bash\n`)
  t.equal(run({ HOME: '/nowhere' }).status, 0)
  t.equal(run({ HOME: '/nowhere' }).stderr, '')
})

t.test('where the container is the boundary, temporary files of the service lie in its own folder', (t) => {
  const { run, data } = setUp(t)
  t.match(run({ SVC_WEBUI_SANDBOX: 'container' }).stdout, `TMPDIR ${data}/tmp`)
  t.equal(statSync(join(data, 'tmp')).mode & 0o777, 0o700)
  t.equal(run({ SVC_WEBUI_SANDBOX: 'container' }).status, 0, 'a second time')
  t.match(run({ SVC_WEBUI_SANDBOX: '1' }).stdout, 'TMPDIR none')
})

t.test('a data folder that it may not write is said with the way out', (t) => {
  const folder = temporaryFolder(t, 'entrypoint')
  chmodSync(folder, 0o555)
  // Root may write everywhere.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const { status, stderr } = spawnSync('/bin/sh', ['-c', readFileSync(entrypoint, 'utf8'), 'entrypoint', 'true'], {
    encoding: 'utf8', cwd: '/', env: { PATH: '/usr/bin:/bin', SVC_HOME: folder, HOME: folder }, ...nobody
  })
  chmodSync(folder, 0o755)
  t.equal(status, 64)
  t.match(stderr, new RegExp(`User \\d+ may not write to ${folder}\\. Give it the folder or volume: chown \\d+ ${folder}`))
})

t.test('the health check takes 200, and nothing else', async (t) => {
  let status = 200
  const seen: Array<string | undefined> = []
  const server = createServer(({ url, headers }, answer) => {
    seen.push(url, headers.host)
    answer.writeHead(status).end('{}')
  })
  const port = await listening(t, server)
  const check = async (env: Record<string, string>) =>
    await capture('bash', [resolve('packaging/docker/healthcheck.sh')], { cwd: '/', env: { PATH: '/usr/bin:/bin', ...env }, timeoutMs: 10_000, maxOutputBytes: 1_000 })
  const here = { SVC_WEBUI_PORT: String(port), SVC_WEBUI_HOST: '0.0.0.0' }
  t.equal((await check(here)).exitCode, 0)
  t.same(seen, ['/health', 'localhost'])
  status = 503
  t.equal((await check(here)).exitCode, 1)
  server.close()
  const gone = await check(here)
  t.equal(gone.exitCode, 1)
  t.match(gone.stdout.toString(), 'nothing listens')
})
