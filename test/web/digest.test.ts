import { readFileSync } from 'node:fs'
import { createContext, runInContext } from 'node:vm'
import t from '#test'
import { pageWords } from '../../services/ground/languages/index.js'

/** Returns what the notification of a digest says in a language. */
async function digest (language: string, counts: Record<string, number>): Promise<string | undefined> {
  const listeners = new Map<string, (event: unknown) => void>()
  const shown: string[] = []
  const self = {
    addEventListener: (name: string, listener: (event: unknown) => void) => listeners.set(name, listener),
    location: new URL('https://agent.example.org'),
    navigator: { languages: [language] },
    registration: { showNotification: async (_title: string, { body }: { body: string }) => { shown.push(body) } }
  }
  const notifications = Object.fromEntries(Object.entries(pageWords).map(([code, words]) => [code, words.notifications]))
  const build = { version: '1', first: [], rest: [], words: pageWords, notifications, name: 'Agent', icon: '' }
  runInContext(readFileSync('web/sw.js', 'utf8').replace('/* build */ null', JSON.stringify(build)), createContext({ self, caches: { match: async () => {} } }))
  let showing: Promise<void> | undefined
  listeners.get('push')!({ data: { json: () => ({ kind: 'digest', counts }) }, waitUntil: (work: Promise<void>) => { showing = work } })
  await showing
  return shown[0]
}

t.test('the notification of a digest says how many of each kind, in every language', async (t) => {
  const said = Object.fromEntries(await Promise.all(Object.keys(pageWords).map(async (code) => [code, await digest(code, { waiting: 2, ended: 3, failed: 0 })] as const)))
  t.equal(said['en'], '2 waiting for you, 3 ended')
  t.equal(said['zh'], '2 项等你处理，3 项已结束')
  t.equal(said['ja']?.split('、').length, 2)
  for (const text of Object.values(said)) t.equal(String(text).split(/, |，|、/).length, 2, text)
  t.equal(await digest('en', {}), pageWords.en.notifications.other)
})
