import { readdirSync, readFileSync } from 'node:fs'
import t from '../../test/support/harness.js'
import { createPersonStore, ofDevice, type TextStore } from '../src/core/device/person-store.js'
import { testStore } from './text-store.js'

t.test('a sign-out leaves nothing but how the device looks, and a window that is left writes nothing back', async (t) => {
  const keys = (store: TextStore): string[] => Array.from({ length: store.length }, (_, place) => store.key(place)!).toSorted()
  for (const keepsWritten of [false, true]) {
    const store = testStore()
    const person = createPersonStore(store)
    const written = ['draft-of-new-session', 'login', 'unsent 1']
    for (const key of [...ofDevice, ...written, 'background-tasks', 'earlier-versions', 'seen', 'told', 'something new']) person.setItem(key, 'x')
    person.forget({ keepsWritten })
    t.same(keys(store), [...ofDevice, ...(keepsWritten ? written : [])].toSorted())
    person.setItem('draft-of-new-session', 'again')
    t.not(store.getItem('draft-of-new-session'), 'again')
  }
})

t.test('only the looks of the device are kept past the store of the person', async (t) => {
  const files = readdirSync('web/src', { recursive: true }).map((path) => `web/src/${String(path)}`).filter((path) => /\.tsx?$/.test(path))
  t.same(files.filter((path) => /localStorage|sessionStorage/.test(readFileSync(path, 'utf8'))).toSorted(),
    ['web/src/app.ts', ...['appearance', 'install', 'keys', 'rail-fold'].map((name) => `web/src/shell/${name}.ts`), 'web/src/side/open.ts', 'web/src/ui/remembered.ts', 'web/src/ui/typeface.ts', 'web/src/words/index.ts'])
})
