import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { asset } from '../../services/ground/assets.js'
import { eventually } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'

t.test('a version on trial ends with the service that tries it, however that ends', async (t) => {
  const folder = temporaryFolder(t, 'trial')
  const start = `const child = require('node:child_process').spawn(process.execPath, [${JSON.stringify(asset('dist/server.js'))}, '--trial'], { detached: true, stdio: 'inherit' })
console.log('The trial is process ' + child.pid + '.')
setInterval(() => {}, 1000)`
  const service = spawn(process.execPath, ['-e', start], {
    env: { PATH: process.env.PATH, HOME: folder, SVC_HOME: join(folder, 'home'), SVC_WEBUI_PORT: '0', SVC_WEBUI_PROBE_LOCAL: '0', SVC_WEBUI_SANDBOX: '0' }, stdio: ['ignore', 'pipe', 'inherit']
  })
  let output = ''
  service.stdout.setEncoding('utf8').on('data', (text: string) => { output += text })
  const found = (pattern: RegExp): string | undefined => pattern.exec(output)?.[1]
  t.teardown(() => {
    service.kill('SIGKILL')
    try {
      process.kill(Number(found(/process (\d+)\./)), 'SIGKILL')
    } catch {} // it has ended
  })
  const url = await eventually('the trial', () => found(/Ready at (http:\/\/\S+)/))
  const isUp = async (): Promise<boolean> => await fetch(`${url}/health`).then(({ ok }) => ok, () => false)
  t.ok(await isUp())
  service.kill('SIGKILL')
  await eventually('its end', async () => !await isUp())
})

t.test('a successor waits for its turn, and ends when nobody is left who would tell it', async (t) => {
  for (const isTold of [true, false]) {
    const folder = temporaryFolder(t, 'successor')
    const successor = spawn(process.execPath, [asset('dist/server.js'), '--successor'], {
      env: { PATH: process.env.PATH, HOME: folder, SVC_HOME: join(folder, 'home'), SVC_WEBUI_PORT: '0', SVC_WEBUI_PROBE_LOCAL: '0', SVC_WEBUI_SANDBOX: '0' }, stdio: ['ignore', 'pipe', 'inherit', 'ipc']
    })
    t.teardown(() => successor.kill('SIGKILL'))
    const exited = once(successor, 'exit')
    let output = ''
    successor.stdout!.setEncoding('utf8').on('data', (text: string) => { output += text })
    await once(successor, 'message')
    t.notOk(existsSync(join(folder, 'home')), 'it has touched nothing')
    if (isTold) {
      successor.send('go')
      await eventually('its start', () => /Ready at/.test(output))
      successor.kill('SIGTERM')
    } else successor.disconnect()
    t.same(await exited, [isTold ? 0 : 1, null])
  }
})
