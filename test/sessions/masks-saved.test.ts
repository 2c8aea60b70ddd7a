import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { knownSecrets, redact } from '../../services/ground/redaction/index.js'
import { type Answer, type Json } from '../support/app.js'
import { startChat } from '../support/chat.js'
import { a40 } from '../support/credentials.js'

// Saving a text exactly as it was read changes nothing, whoever has read it, and no mask is ever stored.

const service = await startChat(t)
const typed = `Use ghp_${a40} now`
const own = [...a40].reverse().join('')
knownSecrets.keep([own])
const mask = redact(own)
const sessionId = await service.newSession()
const { body: { token } } = await service.post('/api/auth/tokens/create', { name: 'reader', scope: 'read' })
const reading = { authorization: `Bearer ${token}` }

interface Pair {
  /** Saves a text, for the first time or in place of another one. */
  save: (text: string) => Promise<Answer>
  /** Returns what a client gets to edit. */
  read: (headers?: Record<string, string>) => Promise<string | undefined>
}

const made = new Map<string, string>()
/** Creates something with the first text, and changes it with the others. */
async function once (what: string, make: () => Promise<Answer>, idOf: (body: Json) => string, change: (id: string) => Promise<Answer>): Promise<Answer> {
  const id = made.get(what)
  if (id !== undefined) return await change(id)
  const answer = await make()
  if (answer.status === 200) made.set(what, idOf(answer.body))
  return answer
}
const fieldOf = async (path: string, pick: (body: Json) => string | undefined, headers = {}): Promise<string | undefined> => pick((await service.get(path, headers)).body)
const job = (field: 'name' | 'prompt' | 'deliver', form = (text: string): string => text): Pair => ({
  save: async (text) => await once(`job ${field}`, async () => await service.post('/api/crons/create', { prompt: 'x', schedule: '1d', [field]: form(text) }), ({ job }) => job.id, async (id) => await service.post('/api/crons/update', { job_id: id, [field]: form(text) })),
  read: async (headers) => await fieldOf('/api/crons', ({ jobs }) => jobs.find(({ id }: Json) => id === made.get(`job ${field}`))?.[field], headers)
})
const hook = (field: 'name' | 'template'): Pair => ({
  save: async (text) => await once(
    `hook ${field}`, async () => await service.post('/api/hooks/create', { name: 'x', template: 'x', [field]: text }), ({ hook }) => hook.id,
    async (id) => await service.post('/api/hooks/update', { id, [field]: text })
  ),
  read: async (headers) => await fieldOf('/api/hooks', ({ hooks }) => hooks.find(({ id }: Json) => id === made.get(`hook ${field}`))?.[field], headers)
})
const personality = (field: string): Pair => ({
  save: async (text) => await service.post('/api/personality/save', { name: `A ${field}`, prompt: 'Plainly', [field]: text }),
  read: async (headers) => await fieldOf(`/api/personality?name=A%20${field}`, (body) => (body.personality ?? body)[field], headers)
})

const check = (field: 'name' | 'command'): Pair => ({
  save: async (text) => await once(
    `check ${field}`, async () => await service.post('/api/checks/save', { session_id: sessionId, name: 'x', command: `echo ${field}`, [field]: text }), (body) => body.check.id,
    async (id) => await service.post('/api/checks/save', { session_id: sessionId, id, name: 'x', command: `echo ${field}`, [field]: text })
  ),
  read: async (headers) => await fieldOf(`/api/checks?session_id=${sessionId}`, ({ checks }) => checks.find(({ id }: Json) => id === made.get(`check ${field}`))?.[field], headers)
})

/** By the route that saves. */
const pairs: Record<string, Pair[]> = {
  '/api/session/rename': [{ save: async (text) => await service.post('/api/session/rename', { session_id: sessionId, title: text }), read: async (headers) => await fieldOf(`/api/session?session_id=${sessionId}`, ({ session }) => session.title, headers) }],
  '/api/session/draft': [{ save: async (text) => await service.post('/api/session/draft', { session_id: sessionId, text }), read: async () => await fieldOf(`/api/session/draft?session_id=${sessionId}`, ({ draft }) => draft.text) }],
  '/api/projects/create, /api/projects/rename': [{
    save: async (name) => await once('project', async () => await service.post('/api/projects/create', { name }), ({ project }) => project.project_id, async (id) => await service.post('/api/projects/rename', { project_id: id, name })),
    read: async (headers) => await fieldOf('/api/projects', ({ projects }) => projects[0]?.name, headers)
  }],
  '/api/projects/update': [{
    save: async (instructions) => await service.post('/api/projects/update', { project_id: made.get('project'), instructions }),
    read: async (headers) => await fieldOf('/api/projects', ({ projects }) => projects[0]?.instructions, headers)
  }],
  '/api/checks/save': [check('name'), check('command')],
  '/api/crons/create, /api/crons/update, /api/crons/preview': [job('name'), job('prompt'), job('deliver', (text) => text.includes('://') ? text : `webhook:https://example.com/hook?token=${text.replaceAll(' ', '-')}`)],
  '/api/hooks/create, /api/hooks/update': [hook('name'), hook('template')],
  '/api/crons/pause': [{ save: async (reason) => await service.post('/api/crons/pause', { job_id: made.get('job name'), reason }), read: async (headers) => await fieldOf('/api/crons', ({ jobs }) => jobs.find(({ id }: Json) => id === made.get('job name'))?.paused_reason, headers) }],
  '/api/workspaces/add, /api/workspaces/rename': [{ save: async (name) => await service.post('/api/workspaces/rename', { path: service.workspace, name }), read: async (headers) => await fieldOf('/api/workspaces', ({ workspaces }) => workspaces[0].name, headers) }],
  '/api/personality/save': ['prompt', 'description', 'tone', 'style'].map(personality),
  '/api/memory/write': [{ save: async (content) => await service.post('/api/memory/write', { section: 'memory', content }), read: async (headers) => await fieldOf(`/api/memory${headers === undefined ? '?plain=1' : ''}`, ({ memory }) => memory, headers) }],
  '/api/skills/save': [{
    save: async (text) => await service.post('/api/skills/save', { name: 'plain', content: text.startsWith('---') ? text : `---\nname: plain\ndescription: Something\n---\n${text}\n` }),
    read: async (headers) => await fieldOf('/api/skills/content?name=plain', ({ content }) => content, headers)
  }],
  '/api/auth/tokens/create, /api/auth/tokens/rename, /api/auth/tokens/pair': [{
    save: async (name) => await once('token', async () => await service.post('/api/auth/tokens/create', { name, scope: 'read' }), (body) => (body.device ?? body.token_info ?? body).id, async (id) => await service.post('/api/auth/tokens/rename', { id, name })),
    read: async () => await fieldOf('/api/auth/tokens', (body) => (body.tokens ?? body.devices).find(({ id }: Json) => id === made.get('token'))?.name)
  }],
  '/api/settings': [{ save: async (text) => await service.post('/api/settings', { bot_name: text }), read: async (headers) => await fieldOf('/api/settings', (body) => body.bot_name, headers) }]
}

/** Routes whose input was not read from there, is a choice among known values, or has masks that other tests cover. */
const others: Record<string, RegExp> = {
  'signs in, or names what is there': /^\/api\/(auth\/(login|logout|pair|passkey\/.*|passkeys|tokens\/(revoke|pair\/end))|hosts\/forget|home\/seen|profile\/.*|agents\/(modes|isolation)|plugins|trash\/.*|grants\/.*|rollback\/.*|updates\/.*|shares?\/.*|personality\/(set|delete)|skills\/(delete|toggle)|memory\/(restore|curate)|mcp\/(reload|servers\/\{name\}\/.*)|workspaces\/(remove|reorder)|projects\/delete|push\/subscriptions|crons\/(run|resume|delete)|hooks\/(secret|delete|preview|\{id\})|models\/refresh|model\/.*|default-model|reasoning|budgets|commands\/.*)$/,
  'is said in a conversation, which keeps it as it was typed': /^\/api\/(attempts|attempts\/.*|checks\/(?!save).*|chat\/.*|goal|btw|background|clarify\/.*|approval\/.*|mcp\/view\/.*|session\/(?!rename|draft).*)$/,
  'is a file, or is said of one to git, as it is': /^\/api\/(file\/.*|upload.*|skills\/(import.*|inspect)|workspace\/upload|git\/.*)$/,
  'is said on a forge, which keeps it': /^\/api\/pulls\/.*$/,
  'is a key, which is never told, or an address that is refused with one': /^\/api\/(providers|forges)/,
  'are bytes that are counted': /^\/api\/diagnostics\/upload$/,
  'is spoken': /^\/api\/(tts|transcribe)/,
  'keeps what is masked (test/mcp/servers.test.ts)': /^\/api\/mcp\/servers\/\{name\}$/
}

t.test('every route that saves is listed here', async (t) => {
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as { paths: Record<string, Record<string, unknown>> }
  const saving = Object.entries(paths).filter(([path, operations]) => path.startsWith('/api/') && ['post', 'put', 'patch'].some((method) => method in operations)).map(([path]) => path)
  const paired = new Set(Object.keys(pairs).flatMap((names) => names.split(', ')))
  t.same(saving.filter((path) => !paired.has(path) && !Object.values(others).some((pattern) => pattern.test(path))), [], 'a new route belongs to one of both lists')
  t.same([...paired].filter((path) => !saving.includes(path)), [])
})

for (const [routes, list] of Object.entries(pairs)) {
  t.test(routes, async (t) => {
    for (const { save, read } of list) {
      if (routes !== '/api/session/draft') t.match(await save(`Use ${mask} first`), { status: 400, body: { error: /stands for a hidden value/ } }, 'a mask that stands for nothing')
      const first = await save(typed)
      t.equal(first.status, 200, first.text)
      const kept = await read()
      // Titles are shown masked to everyone, because most are made by a model.
      if (routes !== '/api/session/rename') t.match(kept, a40, 'its owner reads what was typed')
      t.equal((await save(kept ?? '')).status, 200)
      t.equal(await read(), kept, 'as it was read')
      const shown = await read(reading)
      if (shown !== undefined && shown !== kept) {
        t.notMatch(shown, a40)
        t.equal((await save(shown)).status, 200)
        t.equal(await read(), kept, 'as it was shown to whoever only reads')
        const elsewhere = await save(shown.replace(mask, `${mask}-too`))
        t.ok([400, 409].includes(elsewhere.status), `${elsewhere.status} ${elsewhere.text}`)
        t.equal(await read(), kept, 'a mask elsewhere')
      }
      const secret = await save(`Use ${own} now`)
      if (secret.status !== 200) t.equal(secret.status, 400)
      const present = await read()
      if (routes !== '/api/session/rename') t.notMatch(present, mask)
      if (present !== kept) t.equal((await save(present ?? '')).status, 200)
      t.equal(await read(), present, 'also with a secret of the service')
    }
  })
}

t.test('nothing that is stored holds a mask', async (t) => {
  const files = (folder: string): string[] => readdirSync(folder).flatMap((name) => statSync(join(folder, name)).isDirectory() ? files(join(folder, name)) : [join(folder, name)])
  t.same(files(join(service.folder, 'home')).filter((file) => readFileSync(file).includes(mask)), [])
  const { sqlite } = service.app.db
  const tables = sqlite.prepare<[], string>("select name from sqlite_master where type = 'table' and sql not like '%virtual%'").pluck().all()
  // The audit log contains what is shown, and nothing is saved from it.
  t.same(tables.filter((table) => table !== 'audit' && JSON.stringify(sqlite.prepare(`select * from "${table}"`).all()).includes(mask)), [])
})
