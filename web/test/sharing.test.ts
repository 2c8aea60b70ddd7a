import { signal } from '@preact/signals-core'
import { readFileSync } from 'node:fs'
import { createContext, runInContext } from 'node:vm'
import t from '../../test/support/harness.js'
import { Attachments } from '../src/core/composer/attachments.js'
import { Draft } from '../src/core/composer/drafts.js'
import { type Share } from '../src/core/device/shared-store.js'
import { takeShares } from '../src/core/composer/taking-shares.js'
import { Api, ApiError } from '../src/core/service/api.js'
import { start } from '../../test/support/app.js'
import { eventually } from '../../test/support/chat.js'
import { plainUpload } from './browser-app.js'

type Kept = Omit<Share, 'id'>

/** The service worker, with what a browser gives it as far as sharing needs that. `room`: how many shares fit. */
function worker (room = Infinity) {
  const kept: Kept[] = []
  const listeners = new Map<string, (event: unknown) => void>()
  const origin = 'https://agent.example.org'
  /** As much of IndexedDB as adds a row. */
  const database = {
    close: () => {},
    transaction: () => {
      const transaction = {
        error: new Error('QuotaExceededError'),
        oncomplete: () => {},
        onabort: () => {},
        objectStore: () => ({
          add: (share: Kept) => {
            if (kept.length < room) kept.push(share)
            const { isFull } = { isFull: kept.at(-1) !== share }
            setImmediate(() => isFull ? transaction.onabort() : transaction.oncomplete())
          }
        })
      }
      return transaction
    }
  }
  const indexedDB = {
    open () {
      const asked = { result: database, onsuccess: () => {} }
      setImmediate(() => asked.onsuccess())
      return asked
    }
  }
  const self = { addEventListener: (name: string, listener: (event: unknown) => void) => listeners.set(name, listener), location: new URL(origin), navigator: { language: 'en' } }
  const redirecting = { redirect: (to: string, status: number) => ({ to, status }) }
  runInContext(`const appBuild = { version: "1", first: [], rest: [] };\n${JSON.parse(readFileSync('web/built/shell.json', 'utf8')).worker}`, createContext({ self, indexedDB, URL, Response: redirecting }))
  /** What the worker answers; null: it leaves the request to the network. */
  async function post (form: FormData | string, path = '/take-shared', method = 'POST', from: { origin?: string, referrer?: string, mode?: string } = {}): Promise<{ to: string, status: number } | null> {
    let answer: Promise<{ to: string, status: number }> | null = null
    const body = new Request(origin + path, { method, ...(method === 'POST' && { body: form }) })
    const request = {
      url: body.url, method, mode: from.mode ?? 'navigate', referrer: from.referrer ?? '', formData: async () => await body.formData(),
      headers: new Headers({ origin: from.origin ?? 'null' })
    }
    listeners.get('fetch')!({ request, respondWith: (given: typeof answer) => { answer = given } })
    return await (answer as Promise<{ to: string, status: number }> | null)
  }
  return { kept, post }
}

function formOf (texts: Record<string, string>, ...files: File[]): FormData {
  const form = new FormData()
  for (const [name, text] of Object.entries(texts)) form.append(name, text)
  for (const file of files) form.append('files', file)
  return form
}
const file = (name: string, content = name) => new File([content], name, { type: 'text/plain' })

t.test('the service worker keeps what is shared, and says what it leaves out', async (t) => {
  const { kept, post } = worker()
  t.same(await post(formOf({ title: 'A page', text: 'A page', url: 'https://example.org ' }, file('a.txt'), file('b.txt'))), { to: '/?shared=kept', status: 303 })
  t.match(kept[0], { text: 'A page\nhttps://example.org', leftOut: [] })
  t.same(kept[0]!.files.map(({ name }) => name), ['a.txt', 'b.txt'])
  t.equal(await kept[0]!.files[1]!.text(), 'b.txt')
  await post(formOf({}, ...Array.from({ length: 22 }, (_, at) => file(`${at}.txt`))))
  t.same([kept[1]!.files.length, kept[1]!.leftOut], [20, [{ name: '20.txt', why: 'many' }, { name: '21.txt', why: 'many' }]])

  t.same(await post(formOf({ title: ' ', text: '' }, new File([], ''))), { to: '/', status: 303 }, 'nothing was shared')
  t.same(await post('no form'), { to: '/?shared=failed', status: 303 })
  t.equal(kept.length, 2)
  t.same(await worker(0).post(formOf({}, file('a.txt'))), { to: '/?shared=failed', status: 303 }, 'this device is full')
  for (const [path, method] of [['/take-shared', 'GET'], ['/api/upload', 'POST'], ['/login', 'POST'], ['/', 'POST']] as const) t.equal(method === 'GET' ? null : await post('x', path, method), null, path)
})

t.test('a form of another site is not taken for something that the person has shared', async (t) => {
  const { kept, post } = worker()
  const form = () => formOf({ text: 'Delete everything' }, file('a.txt'))
  const foreign = [{ origin: 'https://other.example.net' }, { referrer: 'https://other.example.net/page' }, { referrer: 'http://agent.example.org/' }, { origin: 'https://agent.example.org:8443' }, { mode: 'cors' }, { mode: 'no-cors' }]
  for (const from of foreign) t.same(await post(form(), '/take-shared', 'POST', from), { to: '/?shared=failed', status: 303 }, JSON.stringify(from))
  t.same(kept, [])
  for (const from of [{}, { referrer: 'android-app://org.example.gallery/' }, { origin: 'https://agent.example.org' }]) t.match(await post(form(), '/take-shared', 'POST', from), { to: '/?shared=kept' }, JSON.stringify(from))
})

t.test('what was shared is in the box of a new chat as soon as the service can be reached, and is kept until it has it', async (t) => {
  const s = await start(t, { env: { SVC_WEBUI_MAX_UPLOAD_MB: '1' } })
  const api = new Api({ origin: s.url })
  let [sessionId, isCut] = ['', false]
  const ensure = async () => {
    if (isCut) throw new ApiError('The service cannot be reached', 0)
    return (sessionId = sessionId === '' ? await s.newSession() : sessionId)
  }
  const [draft, attachments] = [new Draft(null, { api, store: null }), new Attachments({ upload: plainUpload(api), ensure })]
  const shares = new Map<number, Share>([[1, { id: 1, text: 'Look at these', files: [file('a.txt'), file('large.txt', 'x'.repeat(2 * 1024 * 1024))], leftOut: [{ name: 'z', why: 'many' }] }], [2, { id: 2, text: 'And this', files: [], leftOut: [] }]])
  const isOpen = signal(false)
  const said: string[] = []
  const note = (what: string) => (of: unknown) => { said.push(`${what} ${JSON.stringify(of)}`) }
  const take = () => takeShares({
    store: { list: async () => [...shares.values()], put: async (share) => { shares.set(share.id, share) }, remove: async (id) => { shares.delete(id) } },
    box: async () => ({ draft, attachments }),
    isOpen,
    say: { waiting: note('waiting'), leftOut: note('left out'), tooMany: note('too many'), failed: note('failed') }
  })
  const taken = take()
  await eventually('files that wait', () => said.length === 2)
  t.same(said, ['left out [{"name":"z","why":"many"}]', 'waiting 2'])
  t.equal(draft.text.value, 'Look at these', 'its text waits for nobody')
  t.match(shares.get(1), { text: '', files: { length: 2 } }, 'the files are on this device still')
  isOpen.value = true
  await taken
  t.equal(draft.text.value, 'And this\nLook at these')
  t.same(attachments.ready.value.map(({ name }) => name), ['a.txt'])
  t.match(attachments.list.value[1]!.problem.value, { status: 413, message: /large/ }, 'what the service refuses says so in the box')
  t.equal(shares.size, 0)

  isCut = true
  shares.set(3, { id: 3, text: '', files: [file('late.txt')], leftOut: [] })
  await take()
  t.match(said.at(-1), /failed .*cannot be reached/)
  t.equal(shares.size, 1, 'it is there the next time')
  isCut = false
  await take()
  t.same([shares.size, attachments.ready.value.map(({ name }) => name)], [0, ['a.txt', 'late.txt']])
})

t.test('the installed app takes texts and files', async (t) => {
  const s = await start(t)
  const { share_target: target } = (await s.get('/manifest.json')).body
  t.match(target, { action: '/take-shared', method: 'POST', enctype: 'multipart/form-data', params: { title: 'title', text: 'text', url: 'url', files: [{ name: 'files' }] } })
  const missed = await fetch(s.url + target.action, { method: 'POST', body: formOf({ text: 'x' }, file('a.txt')), redirect: 'manual' })
  t.same([missed.status, missed.headers.get('location')], [303, '/?shared=failed'], 'without a worker it is said that nothing was taken')
})
