import { lstatSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { SlowWorkspaces } from '../../../services/workspace/checkpoints/slow-workspaces.js'

t.test('a folder with too many files is not counted again for a while, unless more of them are allowed', async (t) => {
  let nowMs = 1_000_000
  const slow = new SlowWorkspaces({ now: () => nowMs, monotonic: () => nowMs })
  t.notOk(slow.isCrowded('/w', 20_000))
  slow.wasCrowded('/w', 20_000)
  t.ok(slow.isCrowded('/w', 20_000))
  t.notOk(slow.isCrowded('/other', 20_000))
  t.notOk(slow.isCrowded('/w', 50_000), 'as many may be in it now')
  nowMs += 9 * 60_000
  slow.wasCrowded('/w', 20_000)
  t.ok(slow.isCrowded('/w', 20_000))
  nowMs += 2 * 60_000
  t.notOk(slow.isCrowded('/w', 20_000), 'to have been refused meanwhile does not make it longer')
  slow.wasCrowded('/w', 20_000)
  slow.forget('/w')
  t.notOk(slow.isCrowded('/w', 20_000))
})

t.test('a folder that may hold less now is counted again', async (t) => {
  const workspace = t.testdir({ one: {}, two: {} })
  const slow = new SlowWorkspaces({ now: () => 1_000_000, monotonic: () => 1_000_000 })
  slow.wasCrowded(workspace, 20_000)
  mkdirSync(join(workspace, 'three'))
  writeFileSync(join(workspace, 'file'), '')
  t.ok(slow.isCrowded(workspace, 20_000), 'more is in it')
  writeFileSync(join(workspace, '.gitignore'), 'one')
  t.notOk(slow.isCrowded(workspace, 20_000), 'something is ignored')
  slow.wasCrowded(workspace, 20_000)
  t.ok(slow.isCrowded(workspace, 20_000))
  const counts = lstatSync(workspace).nlink > 2
  for (const name of ['one', 'two', 'three']) rmdirSync(join(workspace, name))
  t.equal(slow.isCrowded(workspace, 20_000), !counts, 'folders have gone')
})
