import t from '#test'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findSandbox } from '../../../services/agent/index.js'
import { confine } from '../../../services/agent/sandbox/index.js'
import { startChat, type ChatService } from '../../support/chat.js'

const service = await startChat(t)

const sandbox = await findSandbox(process.env as Record<string, string>)
/** Skipped with the reason if no sandbox is possible, but never on CI. */
const needed = sandbox.available || process.env.CI === 'true' ? {} : { skip: sandbox.reason }

/** Writes a file to the folder for uploads of a session. */
function upload (service: ChatService, sessionId: string, name: string, text: string): string {
  const folder = join(service.app.config.stateDir, 'attachments', sessionId)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

const results = (frames: Array<{ event: string, data: Record<string, unknown> }>) => frames.filter(({ event }) => event === 'tool_complete').map(({ data }) => data)

t.test('the agent reads what was uploaded to its conversation without asking', async (t) => {
  const id = await service.newSession()
  const path = upload(service, id, 'notes.txt', 'the uploaded words')
  const model = service.model([{ tool: 'read_file', args: { path } }, { tool: 'list_files', args: { path: dirname(path) } }])
  const { frames } = await service.turn(id, `Read this\n\n[Attached files: ${path}]`, model)
  t.notOk(frames.some(({ event }) => event === 'approval'))
  const seen = results(frames)
  t.equal(seen.length, 2)
  for (const result of seen) t.match(result, { is_error: false })
  t.match(JSON.stringify((await service.session(id)).messages), /the uploaded words/)
  t.equal((await service.get(`/api/approval/pending?session_id=${id}`)).body.pending_count, 0)
})

t.test('a confined command sees it, and nothing else of the service', needed, async (t) => {
  const service = await startChat(t, { env: { SVC_WEBUI_SANDBOX: '1' }, onDisk: true })
  const [id, other] = [await service.newSession(), await service.newSession()]
  const path = upload(service, id, 'notes.txt', 'the uploaded words')
  const theirs = upload(service, other, 'theirs.txt', 'their words')
  const { frames } = await service.turn(id, 'go', service.model([{ tool: 'terminal', args: { command: `cat ${path}; wc -c < ${path}` } }]))
  const [result] = results(frames)
  const text = JSON.stringify((await service.session(id)).messages)
  t.match(result, { is_error: false })
  t.match(text, /the uploaded words/)

  // The same paths inside the sandbox itself: only this conversation's folder is there.
  const { file, args } = confine({
    bwrap: sandbox.available ? sandbox.program : '', program: '/bin/sh', argv: ['-c', `cat ${path} ${theirs}; ls ${service.app.config.stateDir}; echo more >> ${path}`],
    workspace: service.workspace, cwd: service.workspace, hidden: [service.app.config.home, service.app.config.stateDir], readable: [dirname(path)], env: { PATH: process.env.PATH ?? '' }
  })
  const { stdout } = spawnSync(file, args, { encoding: 'utf8' })
  t.match(stdout, /the uploaded words/)
  t.notMatch(stdout, /their words|service\.db/)
  t.equal(readFileSync(path, 'utf8'), 'the uploaded words')
})

t.test('what was uploaded to another conversation is asked for; what was uploaded is changed by nobody', async (t) => {
  const [id, other] = [await service.newSession(), await service.newSession()]
  const mine = upload(service, id, 'mine.txt', 'mine')
  const theirs = upload(service, other, 'theirs.txt', 'theirs')
  symlinkSync(theirs, join(service.app.config.stateDir, 'attachments', id, 'link.txt'))
  const calls = [
    { tool: 'read_file', args: { path: theirs } },
    { tool: 'read_file', args: { path: join(service.app.config.stateDir, 'attachments', id, 'link.txt') } },
    { tool: 'read_file', args: { path: join(service.app.config.stateDir, 'service.db') } }
  ]
  for (const call of calls) {
    const streamId = await service.send(id, 'go', { model: service.model([call]) })
    const asked = await service.events(`/api/approval/stream?session_id=${id}`)
    const { data } = await asked.until((frame) => frame.data.pending !== null)
    await service.respond(id, 'deny', data.pending.approval_id)
    await (await service.watch(streamId)).ended
    asked.drop()
  }
  t.notMatch(JSON.stringify((await service.session(id)).messages.filter(({ role }: { role: string }) => role === 'tool')), /theirs"/)

  // It is in the service's own folder, to which tools never write.
  const { frames } = await service.turn(id, 'go', service.model([{ tool: 'write_file', args: { path: mine, content: 'changed' } }]))
  t.match(results(frames), [{ is_error: true, preview: /^Refused/ }])
  t.equal(readFileSync(mine, 'utf8'), 'mine')
})

t.test('copies of a conversation have what was uploaded to it for themselves', async (t) => {
  const id = await service.newSession()
  const path = upload(service, id, 'notes.txt', 'the uploaded words')
  const attachments = [{ name: 'notes.txt', path, mime: 'text/plain', size: 18, is_image: false }]
  await (await service.watch(await service.send(id, `hello\n\n[Attached files: ${path}]`, { attachments, model: service.model() }))).ended

  const fork = (await service.post('/api/session/branch', { session_id: id })).body.session_id as string
  const forkOfFork = (await service.post('/api/session/branch', { session_id: fork })).body.session_id as string
  const duplicate = (await service.post('/api/session/duplicate', { session_id: id })).body.session.session_id as string
  await service.post('/api/session/delete', { session_id: id })
  await service.post('/api/session/delete', { session_id: fork })

  for (const copy of [forkOfFork, duplicate]) {
    const { messages } = await service.session(copy)
    const own = path.replace(id, copy)
    t.equal(messages[0].attachments[0].path, own)
    t.match(messages[0].content, own)
    t.equal((await service.get(`/api/file/raw?session_id=${copy}&path=${encodeURIComponent(own)}`)).text, 'the uploaded words')
    t.equal((await service.get(`/api/media?session_id=${copy}&path=${encodeURIComponent(own)}`)).status, 200)
    const { frames } = await service.turn(copy, 'read it', service.model([{ tool: 'read_file', args: { path: own } }]))
    t.match(results(frames), [{ is_error: false }])
  }
})
