import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { conflicts, errors, SessionQuery } from '../schemas/common.js'
import { RemoveWorktreeBody, WorktreeRemoved, WorktreeStatus } from '../schemas/sessions-worktrees.js'
import { tagged } from './shared/tagged.js'

/** Sessions with a git worktree of their own. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('sessions'))
  const { sessions } = app

  app.get('/api/session/worktree/status', {
    config: { scope: 'read', showsFiles: true },
    schema: {
      summary: 'Get the state of the worktree of a session',
      description: '`has_worktree: false` for a session without one. `ahead` counts commits that no other branch has. 503 ' +
        '`host_unreachable`: the machine of the folder is not connected.',
      querystring: SessionQuery,
      response: { 200: WorktreeStatus, ...errors(400, 403, 404, 503), ...conflicts('conflict', 'dirty_worktree', 'operation_in_progress') }
    }
  }, async ({ query }) => {
    const status = sessions.isForeign(query.session_id) ? null : await sessions.worktrees.status(query.session_id)
    return {
      ok: true,
      session_id: query.session_id,
      has_worktree: status !== null,
      exists: status?.exists ?? false,
      path: status?.path ?? null,
      branch: status?.branch ?? null,
      dirty_files: status?.dirtyFiles ?? 0,
      untracked_files: status?.untrackedFiles ?? 0,
      ahead: status?.ahead ?? 0,
      merged: status?.merged ?? false,
      locked: status?.locked ?? false
    }
  })

  app.post('/api/session/worktree/remove', {
    config: { scope: 'approve' },
    schema: {
      summary: 'Remove the worktree of a session; without force, only if its work exists elsewhere',
      description: '409 `dirty_worktree` with uncommitted changes, `unmerged_commits` with commits that no other branch ' +
        'has, `locked_worktree`, or `active_stream` while a turn runs. `force` removes the folder despite the first two; ' +
        'commits keep their branch.',
      body: RemoveWorktreeBody,
      response: {
        200: WorktreeRemoved, ...errors(400, 403, 404, 503),
        ...conflicts('active_stream', 'locked_worktree', 'unmerged_commits', 'conflict', 'dirty_worktree', 'operation_in_progress', 'uncoded')
      }
    }
  }, async ({ body }) => {
    const { removed, branchDeleted } = await sessions.worktrees.remove(body.session_id, body.force ?? false)
    return { ok: true, removed, branch_deleted: branchDeleted }
  })
}
export default plugin
