import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { type TestService } from './app.js'
import { emptyRepository } from './git-repository.js'
import { listening } from './listening.js'

/** A request to the scripted forge. */
export interface ForgeRequest { method: string, path: string, query: URLSearchParams, headers: IncomingMessage['headers'], body: Sent }
/** Everything that the service may send: a test fails if it sends something else. */
interface Sent extends Pick<ScriptedPull, 'title' | 'body' | 'head' | 'base' | 'draft' | 'labels' | 'reviewers' | 'sha'> {
  query: string
  variables: { number: number, id: string }
  comments: Array<{ path: string, body: string, new_position: number }>
  head_commit_id: string
  source_branch: string
  target_branch: string
  description: string
  reviewer_ids: number[]
  state_event?: string
  resolved: boolean
}
export interface ForgeReply { status?: number, headers?: Record<string, string>, body?: unknown, text?: string }

export interface ScriptedComment { id: number, author: string, body: string, bot?: boolean }
export interface ScriptedThread { id: string, path: string, line: number, resolved: boolean, comments: ScriptedComment[] }
export interface ScriptedPull {
  number: number, title: string, body: string, head: string, base: string, sha: string, state: 'open' | 'closed' | 'merged', draft: boolean
  reviewers: string[], labels: string[], threads: ScriptedThread[], comments: ScriptedComment[]
  /** Reviews without text, in order. */
  reviews?: Array<{ author: string, approves: boolean }>
  /** Time of the last change. */
  updatedAt?: string
  createdAt?: string
}
export interface ScriptedCheck { id: number, name: string, state: 'pending' | 'passed' | 'failed', log: string }

export interface ScriptedForge {
  url: string
  host: string
  requests: ForgeRequest[]
  pulls: ScriptedPull[]
  /** Checks of every commit. */
  checks: ScriptedCheck[]
  /** Commits by branch, as pushed. */
  branches: Map<string, string>
  /** Returns a replacement for the answer; null: the usual answer. */
  instead: (request: ForgeRequest) => ForgeReply | null
  /** Returns the number of requests that could not be answered from the client's cache. */
  full: () => number
}

export type ForgeKind = 'github' | 'gitlab' | 'gitea'
type Routes = Array<[method: string, path: RegExp, answer: (request: ForgeRequest, ...parts: string[]) => unknown]>
interface Refusal { status: number, message: string }
const refuse = (status: number, message: string): never => { throw Object.assign(new Error(message), { status }) }
export const token = 'tok_0123456789abcdefABCDEF0123456789'

/** Starts a forge with one repository, `team/app`, that answers by the schemas that its maker has published. */
export async function startForge (
  t: { teardown (callback: () => unknown): unknown }, kind: ForgeKind = 'github'
): Promise<ScriptedForge> {
  let full = 0
  const forge: ScriptedForge = {
    url: '', host: '', requests: [], pulls: [], checks: [], branches: new Map(), instead: () => null, full: () => full
  }
  const routes = { github, gitlab, gitea }[kind](forge)
  const port = await listening(t, createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://forge')
      const text = Buffer.concat(chunks).toString()
      const asked: ForgeRequest = {
        method: request.method ?? '', path: url.pathname, query: url.searchParams, headers: request.headers, body: JSON.parse(text || 'null') as Sent
      }
      forge.requests.push(asked)
      const send = ({ status = 200, headers = {}, body, text: plain }: ForgeReply): void => {
        const payload = plain ?? JSON.stringify(body ?? null)
        const etag = `W/"${createHash('sha256').update(payload).digest('hex')}"`
        if (asked.method === 'GET' && status === 200 && request.headers['if-none-match'] === etag) { response.writeHead(304, { etag }).end(); return }
        full++
        response.writeHead(status, { 'content-type': plain === undefined ? 'application/json' : 'text/plain', ...(status === 200 && { etag }), ...headers })
        response.end(status === 204 ? undefined : payload)
      }
      const scripted = forge.instead(asked)
      if (scripted !== null) { send(scripted); return }
      const { authorization, 'private-token': privateToken } = request.headers
      const given = kind === 'gitlab' ? privateToken : authorization?.replace(kind === 'gitea' ? /^token / : /^Bearer /, '')
      if (given !== token) { send({ status: 401, body: { message: 'Bad credentials' } }); return }
      for (const [method, pattern, answer] of routes) {
        const found = pattern.exec(asked.path)
        if (method !== asked.method || found === null) continue
        try {
          const answered = answer(asked, ...found.slice(1).map(decodeURIComponent))
          send(typeof answered === 'string' ? { text: answered } : { status: method === 'POST' ? 201 : 200, body: answered })
        } catch (error) {
          const { status = 500, message } = error as Refusal
          send({ status, body: { message } })
        }
        return
      }
      send({ status: 404, body: { message: `Not Found: ${asked.method} ${asked.path}` } })
    })
  }))
  forge.host = `127.0.0.1:${port}`
  forge.url = `http://${forge.host}`
  return forge
}

const apis: Readonly<Record<ForgeKind, string>> = { github: '/api/v3', gitlab: '/api/v4', gitea: '/api/v1' }
let repositories = 0

/** Creates a session on the branch `feature` of a repository whose remote is at the forge; pushes go to a folder. */
export async function sessionOnForge (
  service: Pick<TestService, 'workspace' | 'folder' | 'post' | 'newSession'>, forge: ScriptedForge, kind: ForgeKind, { isPushed = true } = {}
): Promise<{ id: string, repository: ReturnType<typeof emptyRepository>, sha: string }> {
  const root = join(service.workspace, `repository-${++repositories}`)
  const bare = join(service.folder, `remote-${repositories}.git`)
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare])
  const repository = emptyRepository(root)
  repository.write('a')
  repository.commitAll('First')
  repository.git('remote', 'add', 'origin', bare)
  repository.git('push', '--quiet', '--set-upstream', 'origin', 'main')
  repository.git('checkout', '--quiet', '-b', 'feature')
  repository.write('greeting', 'Hello\n')
  const sha = repository.commitAll('Add a greeting')
  if (isPushed) repository.git('push', '--quiet', '--set-upstream', 'origin', 'feature')
  repository.git('remote', 'set-url', 'origin', `http://ann:pw@${forge.host}/team/app.git`)
  repository.git('remote', 'set-url', '--push', 'origin', bare)
  forge.branches.set('feature', sha)
  const set = await service.post('/api/forges', { host: forge.host, kind, url: `${forge.url}${apis[kind]}`, token })
  if (set.status !== 200) throw new Error(`the forge was not taken: ${set.text}`)
  return { id: await service.newSession({ workspace: root }), repository, sha }
}

const pullOf = (forge: ScriptedForge, number: string): ScriptedPull =>
  forge.pulls.find((pull) => pull.number === Number(number)) ?? refuse(404, 'Not Found')
const at = '2026-11-28T20:00:00Z'

function newPull (forge: ScriptedForge, { head, ...said }: Partial<Omit<ScriptedPull, 'comments'>> & { head: string, base: string }): ScriptedPull {
  const branch = head.replace(/^.*:/, '')
  const sha = forge.branches.get(branch) ?? refuse(422, 'Validation Failed')
  const pull: ScriptedPull = {
    number: forge.pulls.length + 12, title: '', body: '', head: branch, sha, state: 'open', draft: false, reviewers: [], labels: [], threads: [],
    comments: [], ...said
  }
  forge.pulls.push(pull)
  return pull
}

function mergePull (forge: ScriptedForge, pull: ScriptedPull, sha: string): void {
  if (pull.state !== 'open' || pull.draft) refuse(405, 'Pull Request is not mergeable')
  if (sha !== pull.sha) refuse(409, 'Head branch was modified. Review and try the merge again.')
  pull.state = 'merged'
}

function github (forge: ScriptedForge): Routes {
  const user = (login: string, bot = false) => ({ login, id: 1, type: bot ? 'Bot' : 'User' })
  const wire = (pull: ScriptedPull) => ({
    id: pull.number + 1000, node_id: `PR_${pull.number}`, number: pull.number, html_url: `https://github.com/team/app/pull/${pull.number}`,
    state: pull.state === 'open' ? 'open' : 'closed', locked: false, title: pull.title, body: pull.body, user: user('ann'), draft: pull.draft,
    created_at: pull.createdAt ?? at, updated_at: pull.updatedAt ?? at, closed_at: null, merged_at: pull.state === 'merged' ? at : null, merged: pull.state === 'merged', mergeable: true,
    mergeable_state: 'clean', labels: pull.labels.map((name) => ({ id: 1, name, color: 'fff' })), requested_reviewers: pull.reviewers.map((login) => user(login)),
    head: { label: `team:${pull.head}`, ref: pull.head, sha: pull.sha, repo: { full_name: 'team/app' } }, base: { label: `team:${pull.base}`, ref: pull.base, sha: 'b'.repeat(40) }
  })
  const comment = ({ id, author, body, bot = false }: ScriptedComment) => ({ id, user: user(author, bot), body, created_at: at, updated_at: at })
  const check = ({ id, name, state }: ScriptedCheck) => ({
    id, name, head_sha: 'c', status: state === 'pending' ? 'in_progress' : 'completed', conclusion: state === 'pending' ? null : state === 'passed' ? 'success' : 'failure',
    html_url: `https://github.com/team/app/actions/runs/1/job/${id}`, output: { title: null, summary: null, text: null }, app: { id: 15368, slug: 'github-actions' }
  })
  const base = '^/api/v3/repos/team/app'
  const graphql = ({ body: { query, variables } }: ForgeRequest): unknown => {
    if (query.includes('reviewThreads')) {
      return {
        data: {
          repository: {
            pullRequest: {
              reviewThreads: {
                nodes: pullOf(forge, String(variables.number)).threads.map(({ id, path, line, resolved, comments }) => ({
                  id, isResolved: resolved, path, line, originalLine: line,
                  comments: { nodes: comments.map(({ id, author, body, bot = false }) => ({ databaseId: id, body, createdAt: at, author: { login: author, __typename: bot ? 'Bot' : 'User' } })) }
                }))
              }
            }
          }
        }
      }
    }
    if (query.includes('markPullRequestReadyForReview')) pullOf(forge, variables.id.slice(3)).draft = false
    for (const thread of forge.pulls.flatMap(({ threads }) => threads)) if (thread.id === variables.id) thread.resolved = query.includes(' resolveReviewThread')
    return { data: {} }
  }
  return [
    ['POST', /^\/api\/graphql$/, graphql],
    ['GET', new RegExp(`${base}$`), () => ({ id: 1, full_name: 'team/app', default_branch: 'main', allow_merge_commit: false, allow_squash_merge: true, allow_rebase_merge: true })],
    ['GET', new RegExp(`${base}/pulls$`), ({ query }) => forge.pulls.filter(({ head, state }) =>
      (query.get('head') ?? `team:${head}`) === `team:${head}` && (query.get('state') === 'all' || state === 'open')).map(wire)],
    ['POST', new RegExp(`${base}/pulls$`), ({ body }) => wire(newPull(forge, body))],
    ['GET', new RegExp(`${base}/pulls/(\\d+)$`), (_, number) => wire(pullOf(forge, number ?? ''))],
    ['PATCH', new RegExp(`${base}/pulls/(\\d+)$`), ({ body }, number) => wire(Object.assign(pullOf(forge, number ?? ''), body))],
    ['POST', new RegExp(`${base}/pulls/(\\d+)/requested_reviewers$`), ({ body }, number) => {
      if (body.reviewers.includes('nobody')) refuse(422, 'Reviews may only be requested from collaborators.')
      return wire(Object.assign(pullOf(forge, number ?? ''), body))
    }],
    ['POST', new RegExp(`${base}/issues/(\\d+)/labels$`), ({ body }, number) => Object.assign(pullOf(forge, number ?? ''), body).labels],
    ['GET', new RegExp(`${base}/commits/([^/]+)/check-runs$`), () => ({ total_count: forge.checks.length, check_runs: forge.checks.map(check) })],
    ['GET', new RegExp(`${base}/check-runs/(\\d+)$`), (_, id) => check(forge.checks.find((each) => each.id === Number(id)) ?? refuse(404, 'Not Found'))],
    ['GET', new RegExp(`${base}/commits/([^/]+)/status$`), () => ({ state: 'pending', statuses: [], total_count: 0 })],
    ['GET', new RegExp(`${base}/actions/jobs/(\\d+)/logs$`), (_, id) => forge.checks.find((each) => each.id === Number(id))?.log ?? refuse(404, 'Not Found')],
    ['GET', new RegExp(`${base}/issues/(\\d+)/comments$`), (_, number) => pullOf(forge, number ?? '').comments.map(comment)],
    ['POST', new RegExp(`${base}/issues/(\\d+)/comments$`), ({ body }, number) => {
      pullOf(forge, number ?? '').comments.push({ id: 900, author: 'ann', body: body.body })
      return {}
    }],
    ['GET', new RegExp(`${base}/pulls/(\\d+)/reviews$`), (_, number) => (pullOf(forge, number ?? '').reviews ?? []).map(({ author, approves }, id) => ({
      id, user: user(author), body: '', state: approves ? 'APPROVED' : 'CHANGES_REQUESTED', submitted_at: at
    }))],
    ['POST', new RegExp(`${base}/pulls/(\\d+)/comments/(\\d+)/replies$`), ({ body }, number, id) => {
      pullOf(forge, number ?? '').threads.find(({ comments }) => comments[0]?.id === Number(id))?.comments.push({ id: 901, author: 'ann', body: body.body })
      return {}
    }],
    ['PUT', new RegExp(`${base}/pulls/(\\d+)/merge$`), ({ body }, number) => {
      mergePull(forge, pullOf(forge, number ?? ''), body.sha)
      return { sha: 'd'.repeat(40), merged: true, message: 'Pull Request successfully merged' }
    }]
  ]
}

function gitlab (forge: ScriptedForge): Routes {
  const wire = (pull: ScriptedPull) => ({
    id: pull.number + 1000, iid: pull.number, project_id: 7, source_project_id: 7, target_project_id: 7, title: pull.title, description: pull.body,
    state: pull.state === 'open' ? 'opened' : pull.state, draft: pull.title.startsWith('Draft:'), author: { id: 1, username: 'ann', name: 'Ann' },
    source_branch: pull.head, target_branch: pull.base, sha: pull.sha, web_url: `https://gitlab.com/team/app/-/merge_requests/${pull.number}`, created_at: pull.createdAt ?? at,
    updated_at: pull.updatedAt ?? at, labels: pull.labels, reviewers: pull.reviewers.map((username) => ({ id: 2, username })), detailed_merge_status: 'mergeable',
    head_pipeline: { id: 5, sha: pull.sha, status: 'failed' }
  })
  const words = { pending: 'running', passed: 'success', failed: 'failed' }
  const base = '^/api/v4/projects/team(?:%2F|/)app'
  const discussions = (pull: ScriptedPull) => [
    ...pull.threads.map(({ id, path, line, resolved, comments }) => ({
      id, individual_note: false, notes: comments.map(({ id, author, body, bot = false }) => ({
        id, type: 'DiffNote', body, author: { id: 1, username: author, bot }, created_at: at, system: false, resolvable: true, resolved,
        position: { new_path: path, old_path: path, new_line: line, old_line: null }
      }))
    })),
    ...pull.comments.map(({ id, author, body }) => ({
      id: `note${id}`, individual_note: true, notes: [{
        id, type: null, body, author: { id: 1, username: author }, created_at: at, system: false, resolvable: false
      }]
    })),
    { id: 'system', individual_note: true, notes: [{ id: 1, body: 'added 1 commit', author: { username: 'ann' }, created_at: at, system: true, resolvable: false }] }
  ]
  return [
    ['GET', new RegExp(`${base}$`), () => ({ id: 7, path_with_namespace: 'team/app', default_branch: 'main', merge_method: 'merge', squash_option: 'default_off' })],
    ['GET', /^\/api\/v4\/users$/, ({ query }) => query.get('username') === 'bob' ? [{ id: 2, username: 'bob' }] : []],
    ['GET', new RegExp(`${base}/merge_requests$`), ({ query }) => forge.pulls.filter(({ head, state }) =>
      (query.get('source_branch') ?? head) === head && (query.get('state') === 'all' || state === 'open')).map(wire)],
    ['POST', new RegExp(`${base}/merge_requests$`), ({ body }) => wire(newPull(forge, {
      head: body.source_branch, base: body.target_branch, title: body.title, body: body.description, labels: String(body.labels).split(',').filter(Boolean),
      reviewers: body.reviewer_ids.map(() => 'bob')
    }))],
    ['GET', new RegExp(`${base}/merge_requests/(\\d+)$`), (_, number) => wire(pullOf(forge, number ?? ''))],
    ['PUT', new RegExp(`${base}/merge_requests/(\\d+)$`), ({ body }, number) => {
      const pull = pullOf(forge, number ?? '')
      if (body.state_event === 'close') pull.state = 'closed'
      if (body.title !== undefined) pull.title = body.title
      return wire(pull)
    }],
    ['GET', new RegExp(`${base}/merge_requests/(\\d+)/approvals$`), (_, number) => ({
      approved: true, approved_by: (pullOf(forge, number ?? '').reviews ?? []).filter(({ approves }) => approves).map(({ author: username }) => ({ user: { username } }))
    })],
    ['GET', new RegExp(`${base}/pipelines/5/jobs$`), () => forge.checks.map(({ id, name, state }) => ({
      id, name, stage: 'test', status: words[state], allow_failure: false, web_url: `https://gitlab.com/team/app/-/jobs/${id}`, failure_reason: state === 'failed' ? 'script_failure' : undefined
    }))],
    ['GET', new RegExp(`${base}/repository/commits/([^/]+)/statuses$`), () => []],
    ['GET', new RegExp(`${base}/jobs/(\\d+)/trace$`), (_, id) => forge.checks.find((each) => each.id === Number(id))?.log ?? refuse(404, '404 Not found')],
    ['GET', new RegExp(`${base}/merge_requests/(\\d+)/discussions$`), (_, number) => discussions(pullOf(forge, number ?? ''))],
    ['POST', new RegExp(`${base}/merge_requests/(\\d+)/discussions/([^/]+)/notes$`), ({ body }, number, id) => {
      pullOf(forge, number ?? '').threads.find((thread) => thread.id === id)?.comments.push({ id: 901, author: 'ann', body: body.body })
      return {}
    }],
    ['PUT', new RegExp(`${base}/merge_requests/(\\d+)/discussions/([^/]+)$`), ({ body }, number, id) => {
      for (const thread of pullOf(forge, number ?? '').threads) if (thread.id === id) thread.resolved = body.resolved
      return {}
    }],
    ['POST', new RegExp(`${base}/merge_requests/(\\d+)/notes$`), ({ body }, number) => {
      pullOf(forge, number ?? '').comments.push({ id: 900, author: 'ann', body: body.body })
      return {}
    }],
    ['PUT', new RegExp(`${base}/merge_requests/(\\d+)/merge$`), ({ body }, number) => {
      const pull = pullOf(forge, number ?? '')
      mergePull(forge, pull, body.sha)
      return wire(pull)
    }]
  ]
}

function gitea (forge: ScriptedForge): Routes {
  const user = (login: string) => ({ id: 1, login })
  const wire = (pull: ScriptedPull) => ({
    id: pull.number + 1000, number: pull.number, html_url: `https://codeberg.org/team/app/pulls/${pull.number}`, state: pull.state === 'open' ? 'open' : 'closed',
    title: pull.title, body: pull.body, user: user('ann'), draft: pull.title.startsWith('WIP:'), merged: pull.state === 'merged', mergeable: true, created_at: pull.createdAt ?? at,
    updated_at: pull.updatedAt ?? at, labels: pull.labels.map((name) => ({ id: 3, name })), requested_reviewers: pull.reviewers.map(user),
    head: { label: pull.head, ref: pull.head, sha: pull.sha, repo: { full_name: 'team/app' } }, base: { label: pull.base, ref: pull.base, sha: 'b'.repeat(40) }
  })
  const words = { pending: 'pending', passed: 'success', failed: 'failure' }
  const comment = ({ id, author, body }: ScriptedComment) => ({ id, user: user(author), body, created_at: at, updated_at: at })
  const base = '^/api/v1/repos/team/app'
  const lines = (pull: ScriptedPull) => pull.threads.flatMap(({ path, line, resolved, comments }) => comments.map((each) => ({
    ...comment(each), path, position: line, original_position: line, resolver: resolved ? user('ann') : null, pull_request_review_id: 4
  })))
  return [
    ['GET', new RegExp(`${base}$`), () => ({
      id: 7, full_name: 'team/app', default_branch: 'main', allow_merge_commits: true, allow_rebase: true, allow_squash_merge: true, default_merge_style: 'squash'
    })],
    ['GET', new RegExp(`${base}/labels$`), () => [{ id: 3, name: 'bug' }]],
    ['GET', new RegExp(`${base}/pulls$`), ({ query }) => forge.pulls.filter(({ state }) => query.get('state') === 'all' || state === 'open').map(wire)],
    ['POST', new RegExp(`${base}/pulls$`), ({ body }) => wire(newPull(forge, { ...body, labels: body.labels.map(() => 'bug') }))],
    ['GET', new RegExp(`${base}/pulls/(\\d+)$`), (_, number) => wire(pullOf(forge, number ?? ''))],
    ['PATCH', new RegExp(`${base}/pulls/(\\d+)$`), ({ body }, number) => wire(Object.assign(pullOf(forge, number ?? ''), body))],
    ['POST', new RegExp(`${base}/pulls/(\\d+)/requested_reviewers$`), ({ body }, number) => wire(Object.assign(pullOf(forge, number ?? ''), body))],
    ['GET', new RegExp(`${base}/commits/([^/]+)/status$`), () => ({
      state: 'failure', total_count: forge.checks.length, statuses: forge.checks.map(({ id, name, state }, index) => ({
        id, context: name, status: words[state], description: 'Failing after 3s', target_url: `/team/app/actions/runs/9/jobs/${index}`
      }))
    })],
    ['GET', new RegExp(`${base}/actions/runs/9/jobs$`), () => ({ total_count: forge.checks.length, jobs: forge.checks.map(({ id, name }) => ({ id, name, status: 'completed' })) })],
    ['GET', new RegExp(`${base}/actions/jobs/(\\d+)/logs$`), (_, id) => forge.checks.find((each) => each.id === Number(id))?.log ?? refuse(404, 'not found')],
    ['GET', new RegExp(`${base}/issues/(\\d+)/comments$`), (_, number) => pullOf(forge, number ?? '').comments.map(comment)],
    ['POST', new RegExp(`${base}/issues/(\\d+)/comments$`), ({ body }, number) => {
      pullOf(forge, number ?? '').comments.push({ id: 900, author: 'ann', body: body.body })
      return {}
    }],
    ['GET', new RegExp(`${base}/pulls/(\\d+)/reviews$`), (_, number) => [
      { id: 4, user: user('bob'), body: '', state: 'COMMENT', comments_count: 1, submitted_at: at },
      ...(pullOf(forge, number ?? '').reviews ?? []).map(({ author, approves }, index) => ({
        id: 10 + index, user: user(author), body: '', state: approves ? 'APPROVED' : 'REQUEST_CHANGES', comments_count: 0, submitted_at: at
      }))
    ]],
    ['GET', new RegExp(`${base}/pulls/(\\d+)/reviews/4/comments$`), (_, number) => lines(pullOf(forge, number ?? ''))],
    ['POST', new RegExp(`${base}/pulls/(\\d+)/reviews$`), ({ body }, number) => {
      for (const { path, new_position: line, body: text } of body.comments) {
        pullOf(forge, number ?? '').threads.find((thread) => thread.path === path && thread.line === line)?.comments.push({ id: 901, author: 'ann', body: text })
      }
      return {}
    }],
    ['POST', new RegExp(`${base}/pulls/comments/(\\d+)/(resolve|unresolve)$`), (_, id, what) => {
      for (const thread of forge.pulls.flatMap(({ threads }) => threads)) if (thread.comments[0]?.id === Number(id)) thread.resolved = what === 'resolve'
      return null
    }],
    ['POST', new RegExp(`${base}/pulls/(\\d+)/merge$`), ({ body }, number) => {
      mergePull(forge, pullOf(forge, number ?? ''), body.head_commit_id)
      return null
    }]
  ]
}
