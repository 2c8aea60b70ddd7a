import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { tarOf, zipOf } from '../../test/support/archives.js'
import { type Case, type Place } from './case.js'
import { ofGit } from './cases-git.js'
import { type Operation } from './document.js'
import { type Findings } from './findings.js'
import { type Stage } from './stage.js'

// Most refusals need a state that requests chosen by chance rarely make: a turn that runs, a file that changed, a full queue. Each case
// here makes one, does what conflicts with it, and names the code of the error that is due.

/** Sends a request as a person, has its answer judged, and resolves to the code of its error, or its status. */
type Send = (operation: Operation, body: Record<string, unknown>) => Promise<string | null>

interface Provoking { stage: Stage, operations: readonly Operation[], send: Send, findings: Findings }

const repeated = async (times: number, work: (index: number) => Promise<string | null>): Promise<string | null> => {
  let last: string | null = null
  for (let index = 0; index < times; index++) last = await work(index)
  return last
}

const ofFiles: Case[] = [
  ['changed', async ({ send, write }) => {
    write('a.txt', 'one')
    return await send('POST /api/file/save', { path: 'a.txt', content: 'two', if_match: '"old"' })
  }],
  ['exists', async ({ send }) => await repeated(2, async () => await send('POST /api/file/create', { path: 'a.txt' }))],
  ['is_folder', async ({ send, folder }) => {
    mkdirSync(join(folder, 'sub'))
    return await send('POST /api/file/delete', { path: 'sub' })
  }],
  ['symlink', async ({ send, write, folder }) => {
    write('a.txt', 'one')
    symlinkSync('a.txt', join(folder, 'link.txt'))
    return await send('POST /api/file/save', { path: 'link.txt', content: 'two' })
  }],
  ['not_text', async ({ send, write }) => {
    write('a.txt', Buffer.from([0xff, 0xfe, 0, 1, 0xc0]))
    return await send('POST /api/file/save', { path: 'a.txt', content: 'two' })
  }],
  ['office', async ({ send, write }) => {
    write('a.docx', zipOf([{ name: 'word/document.xml', content: '<a/>' }]))
    return await send('POST /api/file/save', { path: 'a.docx', content: 'two' })
  }],
  ['not_an_archive', async ({ send, write }) => {
    write('a.txt', 'one')
    return await send('POST /api/file/extract', { path: 'a.txt' })
  }],
  ['unsafe_archive', async ({ send, write }) => {
    write('a.tar', await tarOf([{ name: '../outside.txt', content: 'x' }]))
    return await send('POST /api/file/extract', { path: 'a.tar' })
  }],
  ['trash_blocked', async ({ send, write }) => {
    write('.agent-trash', 'mine')
    write('a.txt', 'one')
    return await send('POST /api/file/delete', { path: 'a.txt' })
  }],
  ['workspace_missing', async ({ send, folder }) => {
    renameSync(folder, `${folder}-elsewhere`)
    symlinkSync(`${folder}-elsewhere`, folder)
    return await send('POST /api/file/save', { path: 'a.txt', content: 'two' })
  }]
]

const ofConversations: Case[] = [
  ['client_id_reused', async ({ send, busy }) => {
    await busy()
    return await repeated(2, async (index) =>
      await send('POST /api/session/queue', { action: 'add', message: `words=${index}`, client_id: 'provoked-id' }))
  }],
  ['queue_changed', async ({ send, busy }) => {
    await busy()
    return await send('POST /api/session/queue', { action: 'remove', id: 'none-such', version: 1 })
  }],
  ['queue_full', async ({ send, busy }) => {
    await busy()
    return await repeated(101, async (index) => await send('POST /api/session/queue', { action: 'add', message: `words=${index}` }))
  }],
  ['agent_running', async ({ send, busy }) => {
    await busy()
    return await send('POST /api/goal', { text: 'Reach the end' })
  }],
  ['no_goal', async ({ send }) => await send('POST /api/goal', { args: 'pause' })],
  ['invalid_goal', async ({ send }) => await send('POST /api/goal', { text: 'x'.repeat(70_000) })],
  ['plan_changed', async ({ send }) => await send('POST /api/session/plan', { text: '- [ ] One', version: 7 })],
  ['no_steps', async ({ send }) => {
    await send('POST /api/session/plan', { text: 'No steps', version: 0 })
    return await send('POST /api/session/plan/go', { version: 1 })
  }],
  ['plan_started', async ({ send }) => {
    await send('POST /api/session/plan', { text: '- [ ] words=1', version: 0 })
    await send('POST /api/session/plan/go', { version: 1 })
    await delay(500)
    return await send('POST /api/session/plan/go', { version: 1 })
  }],
  ['review_changed', async ({ send }) => await send('POST /api/session/reviews', { remove: [{ id: 'none-such', version: 3 }] })],
  ['review_full', async ({ send, write }) => {
    write('a.txt', 'one\n'.repeat(300))
    const comments = (from: number, count: number) =>
      ({ comments: Array.from({ length: count }, (_, index) => ({ path: 'a.txt', line: from + index, text: 'Why?' })) })
    await send('POST /api/session/reviews', comments(1, 200))
    return await send('POST /api/session/reviews', comments(201, 1))
  }],
  ['outside_workspace', async ({ send }) => await send('POST /api/session/reviews', { comments: [{ path: '../a.txt', line: 1, text: 'Why?' }] })],
  ['check_changed', async ({ send, write }) => {
    write('package.json', '{"scripts":{"lint":"true"}}')
    return await send('POST /api/checks/save', { name: 'lint', command: 'npm run lint' })
  }],
  ['checks_full', async ({ send }) => await repeated(21, async (index) =>
    await send('POST /api/checks/save', { name: `Check ${index}`, command: `true ${index}` }))],
  ['session_profile_mismatch', async ({ send }, { ask }) => {
    const { text } = await ask('POST', '/api/session/new', { profile: 'other' })
    const { session } = JSON.parse(text) as { session: { session_id: string } }
    return await send('POST /api/session/rename', { session_id: session.session_id, title: 'Mine' })
  }]
]

const ofTheService: Case[] = [
  ...([['cron', '61 * * * *'], ['never', '0 0 31 2 *'], ['past', '2020-01-31T09:00'], ['unclear', 'every blue moon']] as const).map(
    ([code, schedule]): Case => [`schedule_${code}`, async ({ send }) => await send('POST /api/crons/create', { prompt: 'words=1', schedule })]
  ),
  ['changed', async ({ send }) => await send('POST /api/memory/write', { section: 'memory', content: 'Mine', if_match: '"old"' })],
  ['masked', async ({ send }) => {
    await send('POST /api/memory/write', { section: 'user', content: `The key is ghp_${'a1B2'.repeat(9)}.\n` })
    return await send('POST /api/memory/write', { section: 'user', content: 'My key: [redacted].\n' })
  }],
  ['plugin_changed', async ({ send }, { folder }) => {
    const plugin = join(folder, 'plugins', 'lint')
    mkdirSync(join(plugin, '.claude-plugin'), { recursive: true })
    writeFileSync(join(plugin, '.claude-plugin', 'plugin.json'), '{"name":"lint","version":"1.0.0"}')
    return await send('POST /api/plugins', { name: 'lint', enabled: true, seal: 'f'.repeat(64) })
  }],
  ['empty_document', async ({ send }) => await send('POST /api/memory/curate', { section: 'memory' })],
  ['key_in_environment', async ({ send }) => await send('POST /api/providers/delete', { provider: 'openai' })],
  ['password_pinned', async ({ send }) => await send('POST /api/settings', { _set_password: 'another-password-1' })],
  ['profile_busy', async ({ send }, { ask }) => {
    const { text } = await ask('POST', '/api/session/new', { profile: 'other' })
    const { session } = JSON.parse(text) as { session: { session_id: string } }
    await ask('POST', '/api/chat/start', { session_id: session.session_id, message: 'wait', profile: 'other' })
    return await send('POST /api/profile/delete', { name: 'other' })
  }],
  // Its limit holds for everything that comes after it, so it is removed again.
  ['budget_used_up', async ({ send, id }, { ask }) => {
    await ask('POST', '/api/chat/start', { session_id: id, message: 'words=2' })
    await delay(1_000)
    await ask('POST', '/api/budgets', { day: { hard_tokens: 1 } })
    const got = await send('POST /api/session/title/regenerate')
    await ask('POST', '/api/budgets', { day: null })
    return got
  }],
  ['config_broken', async ({ send }, { folder }) => {
    const file = join(folder, 'config.yaml')
    writeFileSync(file, 'model: [\n')
    try {
      return await send('POST /api/budgets', { day: { hard_tokens: 1_000_000 } })
    } finally {
      rmSync(file)
    }
  }]
]

const cases: readonly Case[] = [...ofFiles, ...ofGit, ...ofConversations, ...ofTheService]

/** Provokes each refusal. One that has another code than the one that is due, or none, is a finding. */
export async function provokeAll ({ stage, operations, send, findings }: Provoking): Promise<void> {
  const found = (code: string, text: string): void => findings.add({ kind: 'another refusal', place: code, text, cause: `the case for ${code}` })
  for (const [index, [code, provoke]] of cases.entries()) {
    try {
      const place = await openPlace(stage, operations, send, index)
      const got = await provoke(place, stage)
      await stage.ask('POST', '/api/chat/cancel', { session_id: place.id })
      if (got !== code) found(code, `${got} instead`)
    } catch (error) {
      found(code, `the case could not go on: ${String(error)}`)
    }
  }
}

/** Operations that are not about a conversation. */
const noConversation = /^POST \/api\/(?:session\/new|budgets)$/

async function openPlace (stage: Stage, operations: readonly Operation[], send: Send, index: number): Promise<Place> {
  const folder = join(stage.folder, 'places', String(index))
  mkdirSync(folder, { recursive: true })
  const { status, text } = await stage.ask('POST', '/api/session/new', { workspace: folder })
  if (status !== 200) throw new Error(`a conversation in ${folder} is answered ${status}: ${text.slice(0, 300)}`)
  const { session: { session_id: id } } = JSON.parse(text) as { session: { session_id: string } }
  return {
    id, folder,
    async send (name, body = {}) {
      const operation = operations.find((each) => each.name === name)
      if (operation === undefined) throw new Error(`there is no ${name}`)
      return await send(operation, { ...noConversation.test(name) ? {} : { session_id: id }, ...body })
    },
    write (name, content) { writeFileSync(join(folder, name), content) },
    git (...args) {
      execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', '-c', 'init.defaultBranch=main', ...args], {
        cwd: folder, stdio: 'ignore'
      })
    },
    async busy () {
      const started = await stage.ask('POST', '/api/chat/start', { session_id: id, message: 'wait' })
      if (started.status !== 200) throw new Error(`a turn is answered ${started.status}`)
    }
  }
}
