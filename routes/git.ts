import { type SharedRoutes } from '../plugins/ground/shared-app.js'
import { epochSeconds } from '../services/ground/time/clock.js'
import { Invalid } from '../services/ground/errors.js'
import { textOfDocument } from '../services/workspace/files/index.js'
import { branchesToWire, diffToWire, infoToWire, statusAnswer } from '../services/areas/git/index.js'
import { SessionQuery } from '../schemas/common.js'
import { GitBranchesAnswer, GitDiffAnswer, GitDiffQuery, GitFileQuery, GitInfoAnswer, GitStatusAnswer } from '../schemas/git.js'
import { FileBytes } from '../schemas/files.js'
import { gitReading } from './shared/git-reading.js'
import { refuseAsCode, sendContents, sendFinished, sendText } from './shared/sending.js'
import { tagged } from './shared/tagged.js'

/** The state of git in the folder of a session, and its differences. */
const plugin: SharedRoutes = async (app) => {
  app.addHook('onRoute', tagged('git'))
  const { git, clock, workers } = app

  app.get('/api/git-info', {
    config: { scope: 'read', showsFiles: true, relay: true },
    schema: {
      summary: 'Get the git counts of a folder, for a badge',
      description: 'Cheap, for a badge. `git` is null outside a repository. 400 `timeout` in very large repositories.',
      querystring: SessionQuery,
      response: { 200: GitInfoAnswer, ...gitReading }
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
      response: { 200: GitStatusAnswer, ...gitReading }
    }
  }, async ({ query }, reply) => { await sendFinished(reply, statusAnswer(await git.status(query.session_id))) })

  app.get('/api/git/branches', {
    config: { scope: 'read', showsFiles: true, relay: true },
    schema: {
      summary: 'List local and remote branches',
      description: 'Each with the number of commits that it is ahead of and behind its upstream. 400 `not_a_repo`.',
      querystring: SessionQuery,
      response: { 200: GitBranchesAnswer, ...gitReading }
    }
  }, async ({ query }) => ({ branches: branchesToWire(await git.branches(query.session_id), epochSeconds(clock)) }))

  app.get('/api/git/diff', {
    config: { scope: 'read', showsFiles: true, relay: true },
    schema: {
      summary: 'Get the diff of a file',
      description: '`kind` is `unstaged` (default) or `staged`. `too_large`: above 512 KiB, `diff` is empty. 400 `not_a_repo` or ' +
        '`path_outside_workspace`.',
      querystring: GitDiffQuery,
      response: { 200: GitDiffAnswer, ...gitReading }
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
      response: { 200: FileBytes, ...gitReading }
    }
  }, async ({ query: { session_id: id, path, stored = 'head', as } }, reply) => {
    const [, commit, parent] = /^([0-9a-f]{7,64})(\^?)$/.exec(stored) ?? []
    if (stored !== 'head' && stored !== 'index' && commit === undefined) throw new Invalid('stored must be head, index, or a commit')
    const storedIn = commit === undefined ? stored === 'index' ? 'index' : 'head' : { commit, isParent: parent === '^' }
    const bytes = await git.stored(id, path, storedIn)
    if (as === 'text') await sendText(reply, await textOfDocument(path, bytes, workers))
    else await sendContents(reply, path, bytes)
  })
}
export default plugin
