import { join } from 'node:path'
import t from '#test'
import { run } from '../../cli/commands/machine-list.js'
import { start } from '../support/app.js'

const asked = { options: {}, operands: [], isJson: false }

t.test('machines are listed with their state, this one first, and without NATS the list says that no other can join', async (t) => {
  const service = await start(t)
  await service.app.console.listen()
  process.env['SVC_HOME'] = join(service.folder, 'home')
  process.env['SVC_WEBUI_STATE_DIR'] = service.app.config.stateDir
  const listed = await run(asked)
  t.match(listed?.text, /^NAME +STATE +SINCE +VERSION +TURNS +NOTE\n\(this machine\) +ready +[^]*\nNo other machine can join: SVC_NATS_URL is not set\.$/)
  t.match(listed?.value, { enabled: false, hosts: [{ name: null, state: 'ready' }] })
})

t.test('without a service it says how to start it', async (t) => {
  process.env['SVC_WEBUI_STATE_DIR'] = join(t.testdir({}), 'nothing')
  await t.rejects(run(asked), { name: 'CommandFailed', message: /The service is not running/, exitCode: 3 })
})
