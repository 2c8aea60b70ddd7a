import t from '#test'
import { type Database } from '../../services/ground/database/index.js'
import { createUnreadable } from '../../services/areas/sessions/unreadable.js'

t.test('each row of a session is checked once, and none between two windows', async (t) => {
  const checked: number[][] = []
  const all = (_id: string, from: number, to: number): unknown[] => { checked.push([from, to]); return [] }
  const { of, forget } = createUnreadable({ sqlite: { prepare: () => ({ all }) } } as unknown as Database)
  const after = (from: number, to: number): number[][] => {
    checked.length = 0
    of('a', from, to)
    return [...checked]
  }
  t.same(after(900, 1_000), [[900, 1_000]])
  t.same(after(100, 200), [[100, 200]])
  t.same(after(920, 1_010), [[1_000, 1_010]], 'messages that came since')
  t.same(after(500, 600), [[500, 600]])
  t.same(after(150, 550), [[200, 500]])
  t.same(after(100, 600), [])
  t.same(after(0, 1_010), [[0, 100], [600, 900]])
  t.same(after(0, 1_010), [])
  forget('a')
  t.same(after(5, 10), [[5, 10]])
  t.same(after(0, 5), [[0, 5]])
  t.same(after(7, 7), [])
})
