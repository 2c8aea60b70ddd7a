import Sqlite from 'better-sqlite3'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { heldFile, holdBuild } from '../../services/ground/database/index.js'
import { exchange, exchangeBack } from '../../services/areas/updates/exchange.js'
import { temporaryFolder } from '../support/folder.js'

t.test('what services run stays in its place when a new version takes the place of theirs, and when that goes back', async (t) => {
  const root = temporaryFolder(t, 'exchange')
  const attempt = { root, attempt: 'abcd1234' }
  const next = join(root, '.update', 'abcd1234', 'next')
  const build = (dist: string, name: string): string => {
    const folder = join(dist, 'builds', name)
    mkdirSync(join(folder, 'chunks'), { recursive: true })
    writeFileSync(join(folder, 'chunks', 'later.js'), name)
    new Sqlite(join(folder, heldFile)).exec('create table held (by)').close()
    return folder
  }
  const running = build(join(root, 'dist'), 'running')
  build(join(root, 'dist'), 'left')
  build(join(next, 'dist'), 'new')
  holdBuild(running)
  const later = (name: string): string => readFileSync(join(root, 'dist', 'builds', name, 'chunks', 'later.js'), 'utf8')
  for (const again of [false, true]) {
    t.equal(exchange(attempt), !again)
    t.equal(later('running'), 'running')
    t.equal(later('new'), 'new')
    t.notOk(existsSync(join(root, 'dist', 'builds', 'left')), 'what nobody runs is put aside')
  }
  t.equal(exchangeBack(attempt), true)
  t.equal(later('running'), 'running')
  t.equal(later('left'), 'left')
})
