import { type SharedRoutes } from '../plugins/ground/shared-app.js'
import { epochSeconds } from '../services/ground/clock.js'
import { Invalid } from '../services/ground/errors.js'
import { textOfDocument } from '../services/workspace/files/index.js'
import {
  branchesToWire, commitToWire, detailToWire, diffToWire, infoToWire, stashToWire, statusAnswer
} from '../services/areas/git/index.js'
import { conflicts, errors, SessionQuery } from '../schemas/common.js'
import {
  GitBranchesAnswer, GitDiffAnswer, GitDiffQuery, GitFileQuery, GitInfoAnswer, GitLogAnswer, GitLogQuery, GitShowAnswer, GitShowQuery,
  GitStashesAnswer, GitStatusAnswer
} from '../schemas/git.js'
import { FileBytes } from '../schemas/files.js'
import { refuseAsCode, sendContents, sendFinished, sendText } from './shared/sending.js'
import { tagged } from './shared/tagged.js'

const reading = { ...errors(400, 403, 404, 413, 503), ...conflicts('conflict', 'dirty_worktree', 'operation_in_progress') }
const usualLog = 50
const longestLog = 200
const furthestLog = 10_000_000

/** The state of git in the folder of a session. */
const plugin: SharedRoutes = async (app) => {
  app.addHook('onRoute', tagged('git'))
  const { git, clock, workers } = app

  app.get('/api/git-info', {
    config: { scope: 'read', showsFiles: true, relay: true },
    schema: {
      summary: 'Get the git counts of a folder, for a badge',
      description: 'Cheap, for a badge. `git` is null outside a repository. 400 `timeout` in very large repositories.',
      querystring: SessionQuery,
      response: { 200: GitInfoAnswer, ...reading }
    }
  }, async ({ query }) => {
    const info = await git.info(query.session_id)
    return { git: info === null ? null : infoToWire(info) }
  })

  app.get('/api/git/status', {
    config: { scope: 'read', finishedBytes: true, relay: true },
    schema: {
      summary: 'Get the git status',
      description: '`is_git: false` outside a repository. `truncated`: only the first 500 files are listed. Limited to ' +
        'the folder of the session.',
      querystring: SessionQuery,
      response: { 200: GitStatusAnswer, ...reading }
    }
  }, async ({ query }, reply) => { await sendFinished(reply, statusAnswer(await git.status(query.session_id))) })

  app.get('/api/git/branches', {
    config: { scope: 'read', showsFiles: true, relay: true },
    schema: {
      summary: 'List local and remote branches',
      description: 'Each with the number of commits that it is ahead of and behind its upstream. 400 `not_a_repo`.',
      querystring: SessionQuery,
      response: { 200: GitBranchesAnswer, ...reading }
    }
  }, async ({ query }) => ({ branches: branchesToWire(await git.branches(query.session_id), epochSeconds(clock)) }))

  app.get('/api/git/diff', {
    config: { scope: 'read', showsFiles: true, relay: true },
    schema: {
      summary: 'Get the diff of a file',
      description: '`kind` is `unstaged` (default) or `staged`. `too_large`: above 512 KiB, `diff` is empty. 400 `not_a_repo` or ' +
        '`path_outside_workspace`.',
      querystring: GitDiffQuery,
      response: { 200: GitDiffAnswer, ...reading }
    }
  }, async ({ query: { session_id: id, path, kind = 'unstaged' } }) => {
    if (kind !== 'unstaged' && kind !== 'staged') throw new Invalid('kind must be unstaged or staged')
    return { diff: diffToWire(await git.diff(id, path, kind)) }
  })

  app.get('/api/git/file', {
    config: { scope: 'read', showsFiles: true, relay: true },
    compress: false,
    preHandler: refuseAsCode,
    schema: {
      summary: 'Download a file as git has it',
      description: 'The file before its changes, for example to compare pictures: from the checked-out commit, the index or another ' +
        'commit. Bytes as git stores them, without filters. 404: git has no such file. 413: above 20 MiB. 400 `not_a_repo` or ' +
        '`path_outside_workspace`.',
      querystring: GitFileQuery,
      response: { 200: FileBytes, ...reading }
    }
  }, async ({ query: { session_id: id, path, stored = 'head', as } }, reply) => {
    const [, commit, parent] = /^([0-9a-f]{7,64})(\^?)$/.exec(stored) ?? []
    if (stored !== 'head' && stored !== 'index' && commit === undefined) throw new Invalid('stored must be head, index, or a commit')
    const storedIn = commit === undefined ? stored === 'index' ? 'index' : 'head' : { commit, isParent: parent === '^' }
    const bytes = await git.stored(id, path, storedIn)
    if (as === 'text') await sendText(reply, await textOfDocument(path, bytes, workers))
    else await sendContents(reply, path, bytes)
  })

  app.get('/api/git/log', {
    config: { scope: 'read', showsFiles: true, relay: true },
    schema: {
      summary: 'List commits, newest first',
      description: '`limit` is 1 to 200 (default 50). Pass `next_offset` as `offset` to get the next page; null: there is none. 400 ' +
        '`invalid_ref` or `not_a_repo`.',
      querystring: GitLogQuery,
      response: { 200: GitLogAnswer, ...reading }
    }
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
    config: { scope: 'read', showsFiles: true, relay: true },
    schema: {
      summary: 'Get a commit and its changes',
      description: '`ref` is a branch, tag or commit. `too_large` or `truncated`: not everything is shown. 400 ' +
        '`invalid_ref` or `not_a_repo`.',
      querystring: GitShowQuery,
      response: { 200: GitShowAnswer, ...reading }
    }
  }, async ({ query }) => detailToWire(await git.show(query.session_id, query.ref), epochSeconds(clock)))

  app.get('/api/git/stashes', {
    config: { scope: 'read', showsFiles: true, relay: true },
    schema: {
      summary: 'List stashes',
      description: 'Newest first. 400 `not_a_repo`.',
      querystring: SessionQuery,
      response: { 200: GitStashesAnswer, ...reading }
    }
  }, async ({ query }) => ({ stashes: (await git.stashes(query.session_id)).map(stashToWire) }))
}
export default plugin

function whole (name: string, text: string | undefined, { least, most }: { least: number, most: number }): number | undefined {
  if (text === undefined || text === '') return undefined
  const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN
  if (!(value >= least && value <= most)) throw new Invalid(`${name} must be a whole number from ${least} to ${most}`)
  return value
}
