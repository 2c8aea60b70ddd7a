import { type SharedRoutes } from '../plugins/ground/shared-app.js'
import { epochSeconds } from '../services/ground/time/clock.js'
import { Invalid } from '../services/ground/errors.js'
import { commitToWire, detailToWire, stashToWire } from '../services/areas/git/index.js'
import { SessionQuery } from '../schemas/common.js'
import { GitLogAnswer, GitLogQuery, GitShowAnswer, GitShowQuery, GitStashesAnswer } from '../schemas/git.js'
import { gitReading } from './shared/git-reading.js'
import { tagged } from './shared/tagged.js'

const usualLog = 50
const longestLog = 200
const furthestLog = 10_000_000

/** What the repository of a session keeps: commits and stashes. */
const plugin: SharedRoutes = async (app) => {
  app.addHook('onRoute', tagged('git'))
  const { git, clock } = app

  app.get('/api/git/log', {
    config: { scope: 'read', showsFiles: true, relay: true },
    schema: {
      summary: 'List commits, newest first',
      description: '`limit` is 1 to 200 (default 50). Pass `next_offset` as `offset` to get the next page; null: there is none. 400 ' +
        '`invalid_ref` or `not_a_repo`.',
      querystring: GitLogQuery,
      response: { 200: GitLogAnswer, ...gitReading }
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
      description: '`ref` is a branch, tag or commit. `too_large` or `truncated`: not everything is shown. 400 `invalid_ref` or ' +
        '`not_a_repo`.',
      querystring: GitShowQuery,
      response: { 200: GitShowAnswer, ...gitReading }
    }
  }, async ({ query }) => detailToWire(await git.show(query.session_id, query.ref), epochSeconds(clock)))

  app.get('/api/git/stashes', {
    config: { scope: 'read', showsFiles: true, relay: true },
    schema: {
      summary: 'List stashes',
      description: 'Newest first. 400 `not_a_repo`.',
      querystring: SessionQuery,
      response: { 200: GitStashesAnswer, ...gitReading }
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
