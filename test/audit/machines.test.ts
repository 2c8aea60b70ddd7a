import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { auditOf } from '../support/audit.js'
import { start } from '../support/app.js'
import { isAway, joinPresent, startJoinable } from '../support/present-machine.js'
import { needs } from '../support/programs.js'

t.test('machines join, leave and are forgotten', needs('nats-server'), async (t) => {
  const { server, service } = await startJoinable(t)
  const big = await joinPresent(t, service, await server.link(), {})
  await big.leave()
  await isAway(service)
  await service.post('/api/hosts/forget', { name: 'big' })
  const entries = (await auditOf(t, service)).filter(({ kind }) => kind.startsWith('machine.'))
  t.match(entries.map(({ kind, actor, details }) => [kind, actor.kind, details]), [
    ['machine.joined', 'service', { machine: 'big' }], ['machine.left', 'service', { machine: 'big' }], ['machine.forgotten', 'person', { machine: 'big' }]
  ])
})

t.test('what another machine has done is recorded here, by who has asked for it', needs('nats-server'), async (t) => {
  const service = await start(t, { machine: 'box' })
  const id = await service.newSession()
  writeFileSync(join(service.workspace, 'a.txt'), 'a')
  await service.post('/api/file/delete', { session_id: id, path: 'a.txt' })
  await service.post('/api/file/delete', { session_id: id, path: 'nothing' })
  t.match((await auditOf(t, service)).filter(({ kind }) => kind === 'file.deleted'), [
    { actor: { kind: 'person' }, details: { session: id, path: 'a.txt', permanent: false } }
  ])
})
