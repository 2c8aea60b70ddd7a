import { audited } from '../plugins/ground/audited.js'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { rates } from '../plugins/ground/rate-limit.js'
import { type SharedRoutes } from '../plugins/ground/shared-app.js'
import { epochSeconds } from '../services/ground/time/clock.js'
import { Invalid } from '../services/ground/errors.js'
import { branchesToWire, stashedToWire, statusToWire } from '../services/areas/git/index.js'
import { type After, type Branches, type CheckoutTarget } from '../services/workspace/git/index.js'
import { conflicts, errors, SessionBody } from '../schemas/common.js'
import {
  GitChanged, GitCheckedOut, GitCheckoutBody, GitCommitBody, GitCommitSelectedBody, GitCommitted, GitCommittedSelected, GitDiscardBody,
  GitMessageAnswer,
  GitPathsBody, GitStashCheckedOut, GitTalked
} from '../schemas/git.js'
import { tagged } from './shared/tagged.js'

const failing = errors(400, 403, 404, 413, 503)
const inTheWay = ['active_stream', 'conflict', 'dirty_worktree', 'operation_in_progress'] as const
const changing = { ...failing, ...conflicts(...inTheWay) }
const proposing = { ...failing, ...conflicts(...inTheWay, 'budget_used_up') }
const talking = { ...failing, ...conflicts(...inTheWay, 'not_fast_forward', 'rejected') }

/** Git operations in the folder of a session. */
const plugin: SharedRoutes = async (app) => {
  app.addHook('onRoute', tagged('git'))
  await app.register(staging)
  await app.register(committing)
  await app.register(remotes)
  await app.register(branches)
  await app.register(messages)
}
export default plugin

/** Staging for the next commit, and discarding changes. */
const staging: SharedRoutes = async (app) => {
  const { git } = app

  app.post('/api/git/stage', {
    config: { scope: 'approve', relay: true },
    bodyLimit: bodyLimits.paths,
    schema: {
      summary: 'Stage changes',
      description: '`git` in the answer is the new status. 400 `filtered_path`: a file would pass through a filter, and no filters run ' +
        'here. 403 `destructive_git_disabled`; 409 `active_stream` while a turn runs in the session.',
      body: GitPathsBody,
      response: { 200: GitChanged, ...changing }
    }
  }, async ({ body }) => changed(await git.stage(body.session_id, body.paths)))

  app.post('/api/git/unstage', {
    config: { scope: 'approve', relay: true },
    bodyLimit: bodyLimits.paths,
    schema: {
      summary: 'Unstage changes',
      description: 'The files are not changed; `git` in the answer is the new status. 403 `destructive_git_disabled`; 409 ' +
        '`active_stream` while a turn runs in the session.',
      body: GitPathsBody,
      response: { 200: GitChanged, ...changing }
    }
  }, async ({ body }) => changed(await git.unstage(body.session_id, body.paths)))

  app.post('/api/git/discard', {
    config: {
      scope: 'approve',
      relay: true,
      audit: audited<typeof GitDiscardBody>(({ session_id: session, paths, delete_untracked: untracked }, record) =>
        record('git.discarded', { session, files: paths.length, untracked: untracked ?? false }))
    },
    bodyLimit: bodyLimits.paths,
    schema: {
      summary: 'Discard unstaged changes, and untracked files on request',
      description: 'This cannot be undone. Untracked files are deleted only with `delete_untracked`. `git` in the answer is the new ' +
        'status. 403 `destructive_git_disabled`; 409 `active_stream` while a turn runs in the session.',
      body: GitDiscardBody,
      response: { 200: GitChanged, ...changing }
    }
  }, async ({ body }) => changed(await git.discard(body.session_id, body.paths, { deleteUntracked: body.delete_untracked ?? false })))
}

/** Commits. */
const committing: SharedRoutes = async (app) => {
  const { git } = app

  app.post('/api/git/commit', {
    config: { scope: 'approve', relay: true },
    schema: {
      summary: 'Commit the staged changes',
      description: 'Runs no hooks. 400 `nothing_to_commit` or `identity_missing`; 409 `active_stream` while a turn runs in the session; ' +
        '403 `destructive_git_disabled`.',
      body: GitCommitBody,
      response: { 200: GitCommitted, ...changing }
    }
  }, async ({ body }) => {
    const done = await git.commit(body.session_id, body.message)
    return { ok: true as const, commit: done.commit, ...afterwards(done) }
  })

  app.post('/api/git/commit-selected', {
    config: { scope: 'approve', relay: true },
    bodyLimit: bodyLimits.paths,
    schema: {
      summary: 'Commit the selected files as they are; other staged files stay staged',
      description: 'Commits `paths` as they are in the folder; the rest of the index is not changed. Runs no hooks. 400 ' +
        '`nothing_to_commit` or `identity_missing`; 409 `active_stream` while a turn runs in the session.',
      body: GitCommitSelectedBody,
      response: { 200: GitCommittedSelected, ...changing }
    }
  }, async ({ body }) => {
    const done = await git.commitSelected(body.session_id, body.message, body.paths)
    return { ok: true as const, commit: done.commit, paths: done.paths, ...afterwards(done) }
  })
}

/** Operations that contact the remote of a branch. */
const remotes: SharedRoutes = async (app) => {
  const { git } = app

  const actions = {
    fetch: {
      summary: 'Fetch from the remote, and prune branches that were deleted there',
      description: 'Changes only remote-tracking branches, not the working files. 400 `network_failed` or `auth_failed`; 409 ' +
        '`active_stream` while a turn runs in the session.'
    },
    pull: {
      summary: 'Pull: fetch, then fast-forward the branch; never merges',
      description: '409 `not_fast_forward`: a merge would be needed, and nothing was changed; 409 `dirty_worktree` or `conflict`. ' +
        '400 `no_upstream`, `network_failed` or `auth_failed`.'
    },
    push: {
      summary: 'Push the branch to its remote, or to origin if it has none',
      description: 'Sets the upstream if the branch has none. 409 `rejected`: the remote has commits that this branch does not have; pull ' +
        'first. 400 `network_failed` or `auth_failed`. 403 `destructive_git_disabled`.'
    }
  }
  for (const name of ['fetch', 'pull', 'push'] as const) {
    app.post(`/api/git/${name}`, {
      config: name === 'push' ? { scope: 'admin', relay: true, audit: pushed } : { scope: 'approve', relay: true },
      schema: { ...actions[name], body: SessionBody, response: { 200: GitTalked, ...talking } }
    }, async ({ body }) => {
      const done = await git[name](body.session_id)
      return { ok: true as const, message: done.message, ...afterwards(done) }
    })
  }
}

const pushed = audited<typeof SessionBody>(({ session_id: session }, record) => record('git.pushed', { session }))

/** Other branches. */
const branches: SharedRoutes = async (app) => {
  const { git, clock } = app
  const branchesNow = (branches: Branches | null) => branches === null ? null : branchesToWire(branches, epochSeconds(clock))

  app.post('/api/git/checkout', {
    config: { scope: 'approve', relay: true },
    schema: {
      summary: 'Check out a branch; refused while files have changes',
      description: '`mode` is `local` (default), `remote` (creates a branch that tracks it) or `new` (creates `new_branch` at `ref`). ' +
        '409 `dirty_worktree` with uncommitted changes: use `POST /api/git/stash-checkout`. 400 `invalid_ref`.',
      body: GitCheckoutBody,
      response: { 200: GitCheckedOut, ...changing }
    }
  }, async ({ body }) => {
    if ((body.dirty_mode ?? 'block') !== 'block') throw new Invalid('dirty_mode must be block')
    const done = await git.checkout(body.session_id, targetOf(body))
    return {
      ok: true as const, ...afterwards(done), branches: branchesNow(done.branches), current_branch: done.currentBranch,
      message: done.message
    }
  })

  app.post('/api/git/stash-checkout', {
    config: { scope: 'approve', relay: true },
    schema: {
      summary: 'Stash changes, check out a branch, and restore the changes that were stashed there',
      description: 'Like a checkout, with changes stashed first. `restored_stash` names the stash of the other branch that was ' +
        'restored; a stash that no longer applies is kept, and `restore_failed` says so.',
      body: GitCheckoutBody,
      response: { 200: GitStashCheckedOut, ...changing }
    }
  }, async ({ body }) => {
    const done = await git.stashCheckout(body.session_id, targetOf(body))
    return {
      ok: true as const, ...afterwards(done), branches: branchesNow(done.branches), current_branch: done.currentBranch,
      message: done.message, ...stashedToWire(done)
    }
  })
}

/** Commit messages from a model. */
const messages: SharedRoutes = async (app) => {
  const { git } = app

  app.post('/api/git/commit-message', {
    config: { scope: 'chat', rateLimit: rates.model, relay: { asksModel: true } },
    schema: {
      summary: 'Propose a commit message for the staged changes',
      description: 'Commits nothing. `source: summary`: made without a model. Credentials are masked for the model. 400 ' +
        '`nothing_to_commit`; 409 `budget_used_up`.',
      body: SessionBody,
      response: { 200: GitMessageAnswer, ...proposing, ...errors(429) }
    }
  }, async ({ body }) => ({ ok: true as const, ...await git.commitMessage(body.session_id, null) }))

  app.post('/api/git/commit-message-selected', {
    config: { scope: 'chat', rateLimit: rates.model, relay: { asksModel: true } },
    bodyLimit: bodyLimits.paths,
    schema: {
      summary: 'Propose a commit message for selected files',
      description: 'For `paths`, staged or not. Commits nothing. `source: summary`: made without a model. Credentials are masked for ' +
        'the model. 409 `budget_used_up`.',
      body: GitPathsBody,
      response: { 200: GitMessageAnswer, ...proposing, ...errors(429) }
    }
  }, async ({ body }) => ({ ok: true as const, ...await git.commitMessage(body.session_id, body.paths) }))
}

function changed ({ status }: After) {
  return { ok: true as const, git: status && statusToWire(status) }
}

/** Returns the status under both names that clients use. */
function afterwards ({ status: found }: After) {
  const status = found && statusToWire(found)
  return { status, git: status }
}

function targetOf ({
  ref, mode, new_branch: newBranch, track
}: { ref: string, mode?: string | null, new_branch?: string | null, track?: boolean | null }): CheckoutTarget {
  const wanted = mode ?? 'local'
  if (wanted !== 'local' && wanted !== 'remote' && wanted !== 'new') throw new Invalid('mode must be local, remote or new')
  if (wanted === 'new' && (newBranch ?? '') === '') throw new Invalid('Missing required field(s): new_branch')
  return { ref, mode: wanted, ...(newBranch == null || newBranch === '' ? {} : { newBranch }), ...(track == null ? {} : { track }) }
}
