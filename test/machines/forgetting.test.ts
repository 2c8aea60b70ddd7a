import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { createAnswers } from '../../machine/answers.js'
import { attachmentFolder } from '../../services/workspace/index.js'
import { eventually } from '../support/chat.js'
import { isAway, joinPresent, startJoinable } from '../support/present-machine.js'
import { needs } from '../support/programs.js'

t.test('a machine that was away when sessions were deleted lets go of what was theirs when it is back', needs('nats-server'), async (t) => {
  const { server, service } = await startJoinable(t)
  const stateDir = t.testdir()
  const answers = createAnswers({ name: 'big', workspaces: [stateDir], stateDir, reserved: [] })
  const link = await server.link()
  const big = await joinPresent(t, service, link, answers)
  const [kept, deleted, longGone] = [await service.newSession(), await service.newSession(), '0123456789ab']
  for (const id of [kept, deleted, longGone, '.incoming']) {
    mkdirSync(attachmentFolder(stateDir, id), { recursive: true })
    writeFileSync(join(attachmentFolder(stateDir, id), 'a.txt'), id)
  }
  await big.leave()
  await isAway(service)
  await service.post('/api/session/delete', { session_id: deleted })
  t.ok(existsSync(attachmentFolder(stateDir, deleted)))
  await joinPresent(t, service, link, answers)
  await eventually('they are gone', () => !existsSync(attachmentFolder(stateDir, deleted)) && !existsSync(attachmentFolder(stateDir, longGone)))
  t.same(readdirSync(join(stateDir, 'attachments')).toSorted(), ['.incoming', kept])
})
