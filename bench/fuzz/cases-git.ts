import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { type Case, type Place } from './case.js'
import { type Stage } from './stage.js'

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

/** Refusals that need a repository in some state. */
export const ofGit: Case[] = [
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
  ['auth_failed', async (place) => {
    repository(place)
    const remote = createServer((_request, response) => { response.writeHead(401).end() })
    remote.listen(0, '127.0.0.1')
    await once(remote, 'listening')
    const address = remote.address()
    if (address === null || typeof address === 'string') throw new Error('the remote has no port')
    place.git('remote', 'add', 'origin', `http://127.0.0.1:${address.port}/none.git`)
    try {
      return await place.send('POST /api/git/fetch')
    } finally {
      remote.close()
    }
  }],
  ['filtered_path', async (place) => {
    repository(place)
    place.git('config', 'filter.large.clean', 'cat')
    place.write('.gitattributes', '*.bin filter=large\n')
    place.write('a.bin', 'content')
    return await place.send('POST /api/git/stage', { paths: ['a.bin'] })
  }],
  ['conflict', async (place) => {
    repository(place)
    mkdirSync(join(place.folder, 'sub'))
    place.write('sub/a.txt', 'one')
    place.git('-C', 'sub', 'init', '--quiet')
    return await place.send('POST /api/git/discard', { paths: ['sub'], delete_untracked: true })
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
