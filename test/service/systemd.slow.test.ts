import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import t from '#test'
import { isRestartedBySystemd } from '../../services/ground/process/systemd.js'
import { eventually, gate, held } from '../support/chat.js'
import { asset } from '../../services/ground/assets.js'
import { temporaryFolder } from '../support/folder.js'
import { modelEndpoint } from '../support/model-endpoint.js'
import { spawnServer } from '../support/server.js'
import { type TestLike } from '../support/app.js'

const needed = process.platform === 'linux' ? {} : { skip: 'systemd is Linux\'s' }
const cgroup = '0::/user.slice/user-1000.slice/user@1000.service/app.slice/agent-web-service.service\n'

/** Creates a folder with a `systemctl` that prints these words, and records its calls. */
function systemctl (t: TestLike, { mode = 'process', jobs = '', script = '' }: { mode?: string, jobs?: string, script?: string }): { folder: string, path: string } {
  const folder = temporaryFolder(t, 'systemd')
  const programs = join(folder, 'programs')
  mkdirSync(programs)
  writeFileSync(join(programs, 'systemctl'), `#!/bin/sh\n${script}\ncase "$*" in *list-jobs*) printf '%s' '${jobs}';; *show*) echo ${mode};; esac\n`, { mode: 0o755 })
  return { folder, path: `${programs}${delimiter}${process.env['PATH']!}` }
}

const restarting = ' 6 other.service start waiting\n12 agent-web-service.service restart running\n'
const stopping = '12 agent-web-service.service stop running\n 6 other.service restart waiting\n'

t.test('whether systemd starts the service again is asked of it, and a stop is a stop where it does not say so', needed, async (t) => {
  const asked = async (answers: Parameters<typeof systemctl>[1], cgroups = cgroup, pid = 5): Promise<boolean> =>
    await isRestartedBySystemd({ env: { PATH: systemctl(t, answers).path, SYSTEMD_EXEC_PID: '5' }, pid, parent: 1 }, () => cgroups)
  t.equal(await asked({ jobs: restarting }), true)
  t.equal(await asked({ jobs: restarting }, '1:name=systemd:/system.slice/agent-web-service.service\n0::/\n'), true, 'a unit of the system')
  t.equal(await asked({ jobs: restarting, script: 'case "$*" in --user*) exit 1;; esac' }, '0::/system.slice/agent-web-service.service\n'), true, 'which is asked of the system')
  t.equal(await asked({ jobs: stopping }), false, 'another unit is restarted')
  t.equal(await asked({ jobs: '' }), false)
  t.equal(await asked({ jobs: restarting, mode: 'mixed' }), false, 'systemd would kill what is left')
  t.equal(await asked({ jobs: restarting, script: 'exit 1' }), false)
  t.equal(await asked({ jobs: restarting, script: 'sleep 60' }), false, 'it does not answer')
  t.equal(await asked({ jobs: restarting }, '0::/user.slice/session-1.scope\n'), false)
  t.equal(await asked({ jobs: restarting }, ''), false)
  t.equal(await asked({ jobs: restarting }, cgroup, 6), false, 'a terminal below a unit')
})

/** Makes the service believe that it is in a unit, although the kernel says otherwise. */
const inUnit = `data:text/javascript,${encodeURIComponent(`
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const { readFileSync } = fs
fs.readFileSync = (path, ...more) => path === '/proc/self/cgroup' ? ${JSON.stringify(cgroup)} : readFileSync(path, ...more)
syncBuiltinESMExports()`)}`

for (const { what, jobs, goesOn } of [
  { what: 'turns go on over systemctl restart', jobs: restarting, goesOn: true },
  { what: 'systemctl stop ends them, and tells them so', jobs: stopping, goesOn: false }
]) {
  t.test(what, { ...needed, long: !goesOn }, async (t) => {
    const endpoint = await modelEndpoint(t)
    const wait = gate()
    endpoint.script((request) => request.stream ? held(wait, [{ text: 'Before. ' }], [{ text: 'After.' }]) : [{ text: 'A title' }])
    const { folder, path } = systemctl(t, { jobs })
    const serve = async () => await spawnServer(t, folder, {
      PATH: path, OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test-key-12345'
    }, ['/bin/sh', '-c', 'SYSTEMD_EXEC_PID=$$ exec "$@"', 'sh', process.execPath, '--import', inUnit, asset('dist/server.js')])
    const server = await serve()
    const { session: { session_id: sessionId } } = await server.json('/api/session/new', { model: 'scripted' })
    const { stream_id: streamId } = await server.json('/api/chat/start', { session_id: sessionId, message: 'Go' })
    const seen = await server.events(`/api/chat/stream?stream_id=${streamId}`)
    await eventually('its first words', () => seen.frames.some(({ event }) => event === 'token'))
    t.equal(await server.end('SIGTERM'), 0)
    const again = await serve()
    wait.open()
    const reader = await again.events(`/api/chat/stream?stream_id=${streamId}&replay=1`)
    await reader.ended
    t.equal(reader.frames.at(-1)?.event, goesOn ? 'stream_end' : 'apperror')
    const { messages } = (await again.json(`/api/session?session_id=${sessionId}`)).session
    t.match(messages[1].content, goesOn ? 'Before. After.' : 'Before. ')
    if (!goesOn) t.match(messages.at(-1).content, /The service was stopped while this turn was running/)
    t.equal(endpoint.requests.filter(({ stream }) => stream).length, 1, 'its model was asked once')
  })
}
