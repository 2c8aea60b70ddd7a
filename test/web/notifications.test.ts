import { readFileSync } from 'node:fs'
import { createContext, runInContext } from 'node:vm'
import t from '#test'
import { pageWords } from '../../services/ground/languages/index.js'

/** Returns the notification that a push becomes in a language. */
async function notified (language: string, pushed: object): Promise<{ title: string, body: string }> {
  const listeners = new Map<string, (event: unknown) => void>()
  const shown: Array<{ title: string, body: string }> = []
  const self = {
    addEventListener: (name: string, listener: (event: unknown) => void) => listeners.set(name, listener),
    location: new URL('https://agent.example.org'),
    navigator: { languages: [language] },
    registration: { showNotification: async (title: string, { body }: { body: string }) => { shown.push({ title, body }) } }
  }
  const notifications = Object.fromEntries(Object.entries(pageWords).map(([code, { notifications, shortcuts }]) =>
    [code, { ...notifications, untitled: shortcuts.newChat }]))
  const build = { version: '1', first: [], rest: [], words: pageWords, notifications, name: 'Agent', icon: '' }
  const { worker } = JSON.parse(readFileSync('web/built/shell.json', 'utf8'))
  runInContext(`const appBuild = ${JSON.stringify(build)};\n${worker}`, createContext({ self, caches: { match: async () => {} } }))
  let showing: Promise<void> | undefined
  listeners.get('push')!({ data: { json: () => pushed }, waitUntil: (work: Promise<void>) => { showing = work } })
  await showing
  return shown[0]!
}

const digest = async (language: string, counts: Record<string, number>): Promise<string> => (await notified(language, { kind: 'digest', counts })).body

t.test('the notification of a digest says how many of each kind, in every language', async (t) => {
  const said = Object.fromEntries(await Promise.all(Object.keys(pageWords).map(async (code) => [code, await digest(code, { waiting: 2, ended: 3, failed: 0 })] as const)))
  t.equal(said['en'], '2 waiting for you, 3 finished')
  t.equal(said['zh'], '2 项等你处理，3 项已完成')
  t.equal(said['ja']?.split('、').length, 2)
  for (const text of Object.values(said)) t.equal(String(text).split(/, |，|、/).length, 2, text)
  t.equal(await digest('en', {}), pageWords.en.notifications.other)
})

t.test('the notification of a chat without a title names it in the language of the app', async (t) => {
  const pushed = { kind: 'turn', title: 'Untitled', session_id: 'a', status: 'completed' }
  t.same(await notified('de', pushed), { title: 'Neuer Chat', body: pageWords.de.notifications.turn })
  t.equal((await notified('de', { ...pushed, title: 'Budget' })).title, 'Budget')
  t.equal((await notified('de', { kind: 'digest', title: '' })).title, 'Agent')
})
