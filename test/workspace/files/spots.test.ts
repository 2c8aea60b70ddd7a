import { realpathSync } from 'node:fs'
import t from '#test'
import { atSpot } from '../../../services/workspace/place/place.js'

t.test('a spot is found however many slashes its path has', async (t) => {
  const root = realpathSync(t.testdir({ a: {} }))
  const pathOf = async (path: string): Promise<string> => await atSpot({ root, closed: [] }, path, async (spot) => spot.path)
  for (const path of ['a/b', 'a//b/', 'a/b/././/', `a${'/'.repeat(2_000)}b`, `a/b${'/./'.repeat(1_000)}`, `${root}/a/b/`]) t.equal(await pathOf(path), 'a/b')
  t.equal(await pathOf('a/b.'), 'a/b.')
  for (const path of ['', './', `${root}//.`, `a${'/'.repeat(2_000)}..`]) await t.rejects(pathOf(path), { name: 'Invalid' }, path.slice(0, 20))
})
