import { lstatSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { Patience } from '../../../services/workspace/checkpoints/patience.js'

t.test('a folder with too many files is not counted again for a while, unless more of them are allowed', async (t) => {
  let nowMs = 1_000_000
  const patience = new Patience({ now: () => nowMs, monotonic: () => nowMs })
  t.notOk(patience.isCrowded('/w', 20_000))
  patience.wasCrowded('/w', 20_000)
  t.ok(patience.isCrowded('/w', 20_000))
  t.notOk(patience.isCrowded('/other', 20_000))
  t.notOk(patience.isCrowded('/w', 50_000), 'as many may be in it now')
  nowMs += 9 * 60_000
  patience.wasCrowded('/w', 20_000)
  t.ok(patience.isCrowded('/w', 20_000))
  nowMs += 2 * 60_000
  t.notOk(patience.isCrowded('/w', 20_000), 'to have been refused meanwhile does not make it longer')
  patience.wasCrowded('/w', 20_000)
  patience.forget('/w')
  t.notOk(patience.isCrowded('/w', 20_000))
})

t.test('a folder that may hold less now is counted again', async (t) => {
  const workspace = t.testdir({ one: {}, two: {} })
  const patience = new Patience({ now: () => 1_000_000, monotonic: () => 1_000_000 })
  patience.wasCrowded(workspace, 20_000)
  mkdirSync(join(workspace, 'three'))
  writeFileSync(join(workspace, 'file'), '')
  t.ok(patience.isCrowded(workspace, 20_000), 'more is in it')
  writeFileSync(join(workspace, '.gitignore'), 'one')
  t.notOk(patience.isCrowded(workspace, 20_000), 'something is ignored')
  patience.wasCrowded(workspace, 20_000)
  t.ok(patience.isCrowded(workspace, 20_000))
  const counts = lstatSync(workspace).nlink > 2
  for (const name of ['one', 'two', 'three']) rmdirSync(join(workspace, name))
  t.equal(patience.isCrowded(workspace, 20_000), !counts, 'folders have gone')
})
