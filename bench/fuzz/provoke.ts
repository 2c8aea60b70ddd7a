import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { tarOf, zipOf } from '../../test/support/archives.js'
import { type Operation } from './document.js'
import { type Findings } from './findings.js'
import { type Stage } from './stage.js'

// Most refusals need a state that requests chosen by chance rarely make: a turn that runs, a file that changed, a full queue. Each case
// here makes one, does what conflicts with it, and names the code of the error that is due.

/** Sends a request as a person, has its answer judged, and resolves to the code of its error, or its status. */
type Send = (operation: Operation, body: Record<string, unknown>) => Promise<string | null>

interface Provoking { stage: Stage, operations: readonly Operation[], send: Send, findings: Findings }

/** A conversation in a folder of its own. */
interface Place {
  id: string
  folder: string
  /** Sends a request about the conversation, judged; resolves to the code of its error, or its status. */
  send (name: string, body?: Record<string, unknown>): Promise<string | null>
  write (name: string, content: string | Buffer): void
  git (...args: string[]): void
  /** Starts a turn that does not end by itself. */
  busy (): Promise<void>
}

type Case = [code: string, provoke: (place: Place, stage: Stage) => Promise<string | null>]

const repository = ({ git, write }: Place): void => {
  git('init', '--quiet')
  write('a.txt', 'one\n')
  git('add', '.')
  git('commit', '--quiet', '--message', 'Begin')
}

/** Makes a repository whose remote has another commit than it. */
function diverged (place: Place): void {
  repository(place)
  const remote = `${place.folder}-remote`
  place.git('clone', '--quiet', '--bare', '.', remote)
  place.git('remote', 'add', 'origin', remote)
  place.git('commit', '--quiet', '--allow-empty', '--message', 'There')
  place.git('push', '--quiet', '--set-upstream', 'origin', 'main')
  place.git('reset', '--quiet', '--hard', 'HEAD~1')
  place.git('commit', '--quiet', '--allow-empty', '--message', 'Here')
}

/** Makes a repository, and a conversation in a worktree of it. */
async function worktreeOf (place: Place, { ask }: Stage): Promise<{ id: string, folder: string }> {
  repository(place)
  const { status, text } = await ask('POST', '/api/session/new', { workspace: place.folder, worktree: true })
  if (status !== 200) throw new Error(`a worktree is answered ${status}: ${text.slice(0, 300)}`)
  const { session } = JSON.parse(text) as { session: { session_id: string, workspace: string } }
  return { id: session.session_id, folder: session.workspace }
}

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

const ofGit: Case[] = [
  ['not_a_repo', async ({ send }) => await send('POST /api/git/stage', { paths: ['a.txt'] })],
  ['nothing_to_commit', async (place) => {
    repository(place)
    return await place.send('POST /api/git/commit', { message: 'Nothing' })
  }],
  ['identity_missing', async (place) => {
    repository(place)
    place.write('b.txt', 'two')
    place.git('add', '.')
    return await place.send('POST /api/git/commit', { message: 'By nobody' })
  }],
  ['invalid_ref', async (place) => {
    repository(place)
    return await place.send('POST /api/git/checkout', { ref: 'none-such' })
  }],
  ['no_upstream', async (place) => {
    repository(place)
    return await place.send('POST /api/git/push')
  }],
  ['network_failed', async (place) => {
    repository(place)
    place.git('remote', 'add', 'origin', 'http://127.0.0.1:1/none.git')
    place.git('config', 'branch.main.remote', 'origin')
    place.git('config', 'branch.main.merge', 'refs/heads/main')
    return await place.send('POST /api/git/fetch')
  }],
  ['dirty_worktree', async (place) => {
    repository(place)
    place.git('switch', '--quiet', '--create', 'other')
    place.write('a.txt', 'other\n')
    place.git('commit', '--quiet', '--all', '--message', 'Other')
    place.git('switch', '--quiet', 'main')
    place.write('a.txt', 'changed\n')
    return await place.send('POST /api/git/checkout', { ref: 'other' })
  }],
  ['operation_in_progress', async (place) => {
    repository(place)
    place.write('.git/index.lock', '')
    place.write('b.txt', 'two')
    return await place.send('POST /api/git/stage', { paths: ['b.txt'] })
  }],
  ['active_stream', async (place) => {
    repository(place)
    place.git('branch', 'other')
    await place.busy()
    return await place.send('POST /api/git/checkout', { ref: 'other' })
  }],
  ['no_forge', async (place) => {
    repository(place)
    return await place.send('POST /api/pulls/close', { number: 1 })
  }],
  ['no_forge_token', async (place) => {
    repository(place)
    place.git('remote', 'add', 'origin', 'https://github.com/none/none.git')
    return await place.send('POST /api/pulls/close', { number: 1 })
  }],
  ['rejected', async (place) => {
    diverged(place)
    return await place.send('POST /api/git/push')
  }],
  ['not_fast_forward', async (place) => {
    diverged(place)
    return await place.send('POST /api/git/pull')
  }],
  ['locked_worktree', async (place, stage) => {
    const worktree = await worktreeOf(place, stage)
    place.git('worktree', 'lock', worktree.folder)
    return await place.send('POST /api/session/worktree/remove', { session_id: worktree.id })
  }],
  ['dirty_worktree', async (place, stage) => {
    const worktree = await worktreeOf(place, stage)
    writeFileSync(join(worktree.folder, 'a.txt'), 'changed\n')
    return await place.send('POST /api/session/worktree/remove', { session_id: worktree.id })
  }],
  ['unmerged_commits', async (place, stage) => {
    const worktree = await worktreeOf(place, stage)
    place.git('-C', worktree.folder, 'commit', '--quiet', '--allow-empty', '--message', 'Only here')
    return await place.send('POST /api/session/worktree/remove', { session_id: worktree.id })
  }],
  ['no_commits', async ({ git, send, folder }) => {
    git('init', '--quiet')
    return await send('POST /api/session/new', { workspace: folder, worktree: true })
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
