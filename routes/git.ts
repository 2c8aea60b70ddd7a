import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { bodyLimits } from '../plugins/bodies.js'
import { rates } from '../plugins/rate-limit.js'
import { epochSeconds } from '../services/ground/clock.js'
import { Invalid } from '../services/ground/errors.js'
import {
  branchesToWire, commitToWire, detailToWire, diffToWire, infoToWire, stashedToWire, stashToWire, statusAnswer, statusToWire, type After, type Branches, type CheckoutTarget
} from '../services/workspace/git/index.js'
import { errors, SessionBody, SessionQuery } from '../schemas/common.js'
import {
  GitBranchesAnswer, GitChanged, GitCheckedOut, GitCheckoutBody, GitCommitBody, GitCommitSelectedBody, GitCommitted, GitCommittedSelected, GitDiffAnswer, GitDiffQuery,
  GitDiscardBody, GitInfoAnswer, GitLogAnswer, GitLogQuery, GitMessageAnswer, GitPathsBody, GitShowAnswer, GitShowQuery, GitStashCheckedOut, GitStashesAnswer, GitStatusAnswer, GitTalked
} from '../schemas/git.js'
import { sendFinished } from './sending.js'

const tags = ['git']
const reading = errors(400, 403, 404, 409, 413, 503)
const usualLog = 50
const longestLog = 200
const furthestLog = 10_000_000

/** Git in the folder of a session. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { git, clock } = app
  const branchesNow = (branches: Branches | null) => branches === null ? null : branchesToWire(branches, epochSeconds(clock))

  app.get('/api/git-info', {
    schema: { tags, summary: 'Counts for a badge; null outside of a git repository', querystring: SessionQuery, response: { 200: GitInfoAnswer, ...reading } }
  }, async ({ query }) => {
    const info = await git.info(query.session_id)
    return { git: info === null ? null : infoToWire(info) }
  })

  app.get('/api/git/status', {
    config: { finishedBytes: true },
    schema: { tags, summary: 'What has changed', querystring: SessionQuery, response: { 200: GitStatusAnswer, ...reading } }
  }, async ({ query }, reply) => { await sendFinished(reply, statusAnswer(await git.status(query.session_id))) })

  app.get('/api/git/branches', {
    schema: { tags, summary: 'Branches, local and remote', querystring: SessionQuery, response: { 200: GitBranchesAnswer, ...reading } }
  }, async ({ query }) => ({ branches: branchesToWire(await git.branches(query.session_id), epochSeconds(clock)) }))

  app.get('/api/git/diff', {
    schema: { tags, summary: 'How a file has changed', querystring: GitDiffQuery, response: { 200: GitDiffAnswer, ...reading } }
  }, async ({ query: { session_id: id, path, kind = 'unstaged' } }) => {
    if (kind !== 'unstaged' && kind !== 'staged') throw new Invalid('kind must be unstaged or staged')
    return { diff: diffToWire(await git.diff(id, path, kind)) }
  })

  app.get('/api/git/log', {
    schema: { tags, summary: 'Commits, newest first', querystring: GitLogQuery, response: { 200: GitLogAnswer, ...reading } }
  }, async ({ query: { session_id: id, ref, limit, offset } }) => {
    const { commits, next } = await git.log(id, {
      ...(ref === undefined || ref === '' ? {} : { ref }),
      limit: whole('limit', limit, { least: 1, most: longestLog }) ?? usualLog,
      offset: whole('offset', offset, { least: 0, most: furthestLog }) ?? 0
    })
    const nowS = epochSeconds(clock)
    return { commits: commits.map((commit) => commitToWire(commit, nowS)), next_offset: next }
  })

  app.get('/api/git/show', {
    schema: { tags, summary: 'A commit and what it changed', querystring: GitShowQuery, response: { 200: GitShowAnswer, ...reading } }
  }, async ({ query }) => detailToWire(await git.show(query.session_id, query.ref), epochSeconds(clock)))

  app.get('/api/git/stashes', {
    schema: { tags, summary: 'Changes that were put aside', querystring: SessionQuery, response: { 200: GitStashesAnswer, ...reading } }
  }, async ({ query }) => ({ stashes: (await git.stashes(query.session_id)).map(stashToWire) }))

  app.post('/api/git/stage', {
    bodyLimit: bodyLimits.paths,
    schema: { tags, summary: 'Put changes up for the next commit', body: GitPathsBody, response: { 200: GitChanged, ...reading } }
  }, async ({ body }) => changed(await git.stage(body.session_id, body.paths)))

  app.post('/api/git/unstage', {
    bodyLimit: bodyLimits.paths,
    schema: { tags, summary: 'Take changes out of the next commit', body: GitPathsBody, response: { 200: GitChanged, ...reading } }
  }, async ({ body }) => changed(await git.unstage(body.session_id, body.paths)))

  app.post('/api/git/discard', {
    bodyLimit: bodyLimits.paths,
    schema: { tags, summary: 'Throw away unstaged changes; untracked files only when asked', body: GitDiscardBody, response: { 200: GitChanged, ...reading } }
  }, async ({ body }) => changed(await git.discard(body.session_id, body.paths, { deleteUntracked: body.delete_untracked ?? false })))

  app.post('/api/git/commit', {
    schema: { tags, summary: 'Commit what is staged', body: GitCommitBody, response: { 200: GitCommitted, ...reading } }
  }, async ({ body }) => {
    const done = await git.commit(body.session_id, body.message)
    return { ok: true as const, commit: done.commit, ...afterwards(done) }
  })

  app.post('/api/git/commit-selected', {
    bodyLimit: bodyLimits.paths,
    schema: { tags, summary: 'Commit chosen files as they are, and leave what else is staged', body: GitCommitSelectedBody, response: { 200: GitCommittedSelected, ...reading } }
  }, async ({ body }) => {
    const done = await git.commitSelected(body.session_id, body.message, body.paths)
    return { ok: true as const, commit: done.commit, paths: done.paths, ...afterwards(done) }
  })

  const talking = {
    fetch: 'Learn what is new at the remote, and forget what is gone there',
    pull: 'Fetch, then move the branch forward; never merges',
    push: 'Send the branch to its remote; a branch that follows none goes to origin'
  }
  for (const [name, summary] of Object.entries(talking) as Array<[keyof typeof talking, string]>) {
    app.post(`/api/git/${name}`, {
      schema: { tags, summary, body: SessionBody, response: { 200: GitTalked, ...reading } }
    }, async ({ body }) => {
      const done = await git[name](body.session_id)
      return { ok: true as const, message: done.message, ...afterwards(done) }
    })
  }

  app.post('/api/git/checkout', {
    schema: { tags, summary: 'Check out a branch; refused while there are changes', body: GitCheckoutBody, response: { 200: GitCheckedOut, ...reading } }
  }, async ({ body }) => {
    if ((body.dirty_mode ?? 'block') !== 'block') throw new Invalid('dirty_mode must be block')
    const done = await git.checkout(body.session_id, targetOf(body))
    return { ok: true as const, ...afterwards(done), branches: branchesNow(done.branches), current_branch: done.currentBranch, message: done.message }
  })

  app.post('/api/git/stash-checkout', {
    schema: { tags, summary: 'Put changes aside, check out a branch, bring back what was put aside there', body: GitCheckoutBody, response: { 200: GitStashCheckedOut, ...reading } }
  }, async ({ body }) => {
    const done = await git.stashCheckout(body.session_id, targetOf(body))
    return { ok: true as const, ...afterwards(done), branches: branchesNow(done.branches), current_branch: done.currentBranch, message: done.message, ...stashedToWire(done) }
  })

  app.post('/api/git/commit-message', {
    config: { rateLimit: rates.model },
    schema: { tags, summary: 'Propose a commit message for what is staged', body: SessionBody, response: { 200: GitMessageAnswer, ...reading, ...errors(429) } }
  }, async ({ body }) => ({ ok: true as const, ...await git.commitMessage(body.session_id, null) }))

  app.post('/api/git/commit-message-selected', {
    config: { rateLimit: rates.model },
    bodyLimit: bodyLimits.paths,
    schema: { tags, summary: 'Propose a commit message for chosen files', body: GitPathsBody, response: { 200: GitMessageAnswer, ...reading, ...errors(429) } }
  }, async ({ body }) => ({ ok: true as const, ...await git.commitMessage(body.session_id, body.paths) }))
}
export default plugin

function changed ({ standing }: After) {
  return { ok: true as const, git: standing === null ? null : statusToWire(standing) }
}

/** Clients look for the status under either name. */
function afterwards ({ standing }: After) {
  const status = standing === null ? null : statusToWire(standing)
  return { status, git: status }
}

function targetOf ({ ref, mode, new_branch: newBranch, track }: { ref: string, mode?: string | null, new_branch?: string | null, track?: boolean | null }): CheckoutTarget {
  const wanted = mode ?? 'local'
  if (wanted !== 'local' && wanted !== 'remote' && wanted !== 'new') throw new Invalid('mode must be local, remote or new')
  if (wanted === 'new' && (newBranch ?? '') === '') throw new Invalid('Missing required field(s): new_branch')
  return { ref, mode: wanted, ...(newBranch == null || newBranch === '' ? {} : { newBranch }), ...(track == null ? {} : { track }) }
}

function whole (name: string, text: string | undefined, { least, most }: { least: number, most: number }): number | undefined {
  if (text === undefined || text === '') return undefined
  const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN
  if (!(value >= least && value <= most)) throw new Invalid(`${name} must be a whole number from ${least} to ${most}`)
  return value
}
