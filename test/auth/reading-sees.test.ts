import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { type Json } from '../support/app.js'
import { startChat } from '../support/chat.js'
import { a40 } from '../support/credentials.js'
import { emptyRepository, git } from '../support/git-repository.js'

const service = await startChat(t)
const secret = `ghp_${a40}`
const typed = `Use ${secret} now`
/** A secret of the service itself: no stored text contains it. */
const own = [...a40].reverse().join('')
const { body: { token } } = await service.post('/api/auth/tokens/create', { name: 'reader', scope: 'read' })
const reading = { authorization: `Bearer ${token}` }

/** Streams, and routes that show files as they are. */
const left = /events$|stream$|^\/api\/(file|media|folder|git|git-info)\b|^\/api\/session\/(export|typed)$/

t.test('whoever may only read sees no credential in whatever others have typed', async (t) => {
  const home = join(service.folder, 'home')
  writeFileSync(join(home, 'config.yaml'), `agent:\n  personalities:\n    Plain: {prompt: "${typed}", description: "${typed}"}\napprovals:\n  allow: ["cmd:curl -H ${secret}"]\nquick_commands:\n  look: {type: exec, command: "echo ${secret}", description: "${typed}"}\nmcp_servers:\n  remote: {url: "https://user:${own}@127.0.0.1:9/x?token=${own}", enabled: false}\n`)
  t.equal((await service.post('/api/providers/custom', { name: 'Mine', base_url: `http://127.0.0.1:9/v1?key=${secret}`, models: ['m'], activate: false })).status, 200)
  const { providers } = (await service.get('/api/providers')).body
  t.match(providers.find(({ is_custom: isCustom }: Json) => isCustom), { base_url: 'http://127.0.0.1:9/v1?key=[redacted]' }, 'nor is a key in an address shown to anybody')
  const sessionId = await service.newSession()
  const feed = await service.events('/api/events', reading)
  const did = async (path: string, body: Json): Promise<Json> => {
    const answer = await service.post(path, body)
    t.equal(answer.status, 200, `${path} ${JSON.stringify(answer.body).slice(0, 200)}`)
    return answer.body
  }
  await did('/api/session/rename', { session_id: sessionId, title: typed })
  await did('/api/session/draft', { session_id: sessionId, text: typed })
  const streamId = await service.send(sessionId, typed)
  const onlooker = await service.watch(streamId, '', reading)
  await onlooker.ended
  t.notMatch(JSON.stringify(onlooker.frames), a40, 'the last frame carries the session and no draft that is not to be seen')
  const { project } = await did('/api/projects/create', { name: typed })
  await did('/api/session/move', { session_id: sessionId, project_id: project.project_id })
  const { job } = await did('/api/crons/create', { name: typed, prompt: typed, schedule: 'every 1h', deliver: `webhook:https://example.com/hook?token=${a40}` })
  const { hook, secret: signing } = await did('/api/hooks/create', { name: typed, template: typed, match: { text: typed } })
  const call = await fetch(`${service.url}${hook.path}`, {
    method: 'POST', headers: { 'content-type': 'application/json', 'x-gitlab-token': signing }, body: JSON.stringify({ text: `${typed} no` })
  })
  t.match(await call.json(), { reason: 'match' })
  await did('/api/crons/pause', { job_id: job.id, reason: typed })
  await did('/api/workspaces/rename', { path: service.workspace, name: typed })
  await did('/api/skills/save', { name: 'plain', content: `---\nname: plain\ndescription: ${typed}\n---\n${typed}\n` })
  await did('/api/memory/write', { section: 'memory', content: `- ${typed}\n` })
  await did('/api/goal', { session_id: sessionId, args: typed })
  await did('/api/session/queue', { session_id: sessionId, action: 'add', message: typed, not_before: 4e9 })
  await did('/api/session/reviews', { session_id: sessionId, comments: [{ path: 'notes.txt', line: 1, quote: [typed], text: typed }] })
  await did('/api/session/plan', { session_id: sessionId, text: `# Plan\n\n- [ ] ${typed}\n`, version: 0 })
  await did('/api/session/share', { session_id: sessionId })
  emptyRepository(service.workspace)
  writeFileSync(join(service.workspace, 'first.txt'), 'first')
  git(service.workspace, 'add', '.')
  git(service.workspace, 'commit', '--quiet', '-m', 'First')
  await did('/api/checks/save', { session_id: sessionId, name: typed, command: `echo ${secret}` })
  const { attempts_id: attempts } = await did('/api/attempts', { message: typed, check: `echo ${secret}` })

  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as { paths: Record<string, { get?: unknown }> }
  const query = `session_id=${sessionId}&id=${hook.id}&job_id=${job.id}&name=plain&section=memory&all_profiles=1&path=.&q=Use&stream_id=x&attempts_id=${attempts}`
  t.notMatch(JSON.stringify(feed.frames), a40, 'nor do notices tell it')
  const seen: string[] = []
  let looked = 0
  for (const [path, { get }] of Object.entries(paths)) {
    if (get === undefined || !path.startsWith('/api/') || path.includes('{') || left.test(path)) continue
    const { status, body } = await service.get(`${path}?${path === '/api/personality' ? 'name=Plain' : query}`, reading)
    if (status !== 200) continue
    looked++
    if ([a40, own].some((each) => JSON.stringify(body).includes(each))) seen.push(path)
  }
  t.ok(looked > 40, `${looked} routes`)
  t.same(seen, [])

  const chat = await service.post('/api/auth/tokens/create', { name: 'writer', scope: 'chat' })
  const chatting = { authorization: `Bearer ${chat.body.token}` }
  for (const headers of [{}, chatting]) {
    t.equal((await service.get(`/api/session/draft?session_id=${sessionId}`, headers)).body.draft.text, typed, 'whoever may type gets it as it was typed')
    t.equal((await service.get(`/api/session?session_id=${sessionId}`, headers)).body.session.composer_draft.text, typed)
    t.equal((await service.get('/api/projects', headers)).body.projects[0].name, typed)
  }
  writeFileSync(join(service.workspace, 'notes.txt'), typed)
  t.equal((await service.get(`/api/file?session_id=${sessionId}&path=notes.txt`, reading)).body.content, typed, 'files are shown as they are')
  await service.post('/api/settings', { api_redact_enabled: false })
  t.equal((await service.get('/api/projects', reading)).body.projects[0].name, typed, 'where the settings say so, nothing is masked')
})
