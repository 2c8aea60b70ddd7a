import { type Check, type CheckState, type Forge, type MergeMethod, type Pull, type Thread } from '../forge.js'
import { type ForgeClient, type ForgeSeat } from '../client.js'
import { fieldsOf, idOf, lineOf, listOf, meaningOf, secondsOf, textOf, webOf, wholeOf } from '../parsing.js'
import { approversIn, commentIn, conversationOf, headIn, pullIn } from './github-words.js'
import { dataOf, notingErrors, ofBranch, pullsIn, required } from './shared.js'

/** Only the first comments of a thread; the rest of a long one is on the forge. */
const threadsQuery = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { reviewThreads(first: 50) { nodes {
    id isResolved path line originalLine
    comments(first: 20) { nodes { databaseId body createdAt author { login __typename } } }
  } } } }
}`
const runsJobs = 'github-actions'

/**
 * GitHub and GitHub Enterprise, through the REST interface of 2022-11-28. GraphQL is used for what it lacks: threads of reviews with their
 * resolved state, and marking drafts as ready.
 */
export function createGitHub (client: ForgeClient, seat: ForgeSeat, repository: string): Forge {
  const [owner = '', name = ''] = repository.split('/')
  const at = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`
  const here: ForgeSeat = { ...seat, authorization: { authorization: `Bearer ${seat.token}`, 'x-github-api-version': '2022-11-28' } }
  // Enterprise has /api/v3 beside /api/graphql.
  const graphSeat: ForgeSeat = { ...here, api: seat.api.replace(/\/v3$/, '') }
  const graph = async (query: string, variables: Record<string, unknown>): Promise<Record<string, unknown>> =>
    dataOf(seat, await client.json(graphSeat, '/graphql', { method: 'POST', body: { query, variables } }))

  return {
    async repository () {
      const said = fieldsOf(await client.json(here, at))
      // Without push access the answer does not list the methods; the forge refuses unsupported ones itself.
      const methods = ([['merge', 'allow_merge_commit'], ['squash', 'allow_squash_merge'], ['rebase', 'allow_rebase_merge']] as const)
        .flatMap(([method, key]): MergeMethod[] => said[key] === false ? [] : [method])
      return { defaultBranch: lineOf(said['default_branch']), methods }
    },
    list: async () => pullsIn(await client.json(here, `${at}/pulls?state=open&sort=updated&direction=desc&per_page=50`), pullOf),
    async find ({ branch, repository: from }) {
      const head = encodeURIComponent(`${from.split('/')[0] ?? owner}:${branch}`)
      return ofBranch(pullsIn(await client.json(here, `${at}/pulls?head=${head}&state=all&sort=updated&direction=desc&per_page=20`), pullOf))
    },
    get: async (number) => required(seat, pullOf(await client.json(here, `${at}/pulls/${number}`))),

    async open ({ title, body, base, head, isDraft, reviewers, labels }) {
      const made = await client.json(here, `${at}/pulls`, {
        method: 'POST', body: { title, body, base, head: headIn(repository, head), draft: isDraft }
      })
      const number = required(seat, wholeOf(fieldsOf(made)['number']))
      const notes: string[] = []
      const also = async (what: string, path: string, sent: unknown): Promise<void> =>
        await notingErrors(notes, what, client.json(here, path, { method: 'POST', body: sent }))
      if (reviewers.length > 0) await also('Reviewers', `${at}/pulls/${number}/requested_reviewers`, { reviewers })
      if (labels.length > 0) await also('Labels', `${at}/issues/${number}/labels`, { labels })
      return { number, notes }
    },

    async checks ({ sha }) {
      const ref = encodeURIComponent(sha)
      const [runs, status] = await Promise.all([
        client.json(here, `${at}/commits/${ref}/check-runs?filter=latest&per_page=100`, { orNull: true }),
        client.json(here, `${at}/commits/${ref}/status?per_page=100`, { orNull: true })
      ])
      return [
        ...listOf(fieldsOf(runs)['check_runs']).map(runOf),
        ...listOf(fieldsOf(status)['statuses']).map(statusOf)
      ]
    },

    async log (_pull, checkId) {
      const run = fieldsOf(await client.json(here, `${at}/check-runs/${encodeURIComponent(checkId)}`))
      // A job of Actions has the same id as its check.
      if (fieldsOf(run['app'])['slug'] === runsJobs) return await client.tail(here, `${at}/actions/jobs/${encodeURIComponent(checkId)}/logs`)
      const { title, summary, text } = fieldsOf(run['output'])
      return { text: [title, summary, text].map((part) => textOf(part)).filter((part) => part !== '').join('\n\n'), isCut: false }
    },

    async threads (number) {
      const [threads, comments, reviews] = await Promise.all([
        graph(threadsQuery, { owner, name, number }),
        client.json(here, `${at}/issues/${number}/comments?per_page=100`),
        client.json(here, `${at}/pulls/${number}/reviews?per_page=100`)
      ])
      const pull = fieldsOf(fieldsOf(threads['repository'])['pullRequest'])
      return [
        ...listOf(fieldsOf(pull['reviewThreads'])['nodes']).map(threadOf),
        ...conversationOf([...listOf(comments), ...listOf(reviews)].map((each) => commentIn(each, ({ type }) => type === 'Bot')))
      ]
    },

    approvals: async (number) => approversIn(await client.json(here, `${at}/pulls/${number}/reviews?per_page=100`)),

    async comment (number, body) { await client.json(here, `${at}/issues/${number}/comments`, { method: 'POST', body: { body } }) },
    async reply (number, { comments }, body) {
      const first = encodeURIComponent(comments[0]?.id ?? '')
      await client.json(here, `${at}/pulls/${number}/comments/${first}/replies`, { method: 'POST', body: { body } })
    },
    async resolve (_number, { id }, isResolved) {
      const mutation = isResolved ? 'resolveReviewThread' : 'unresolveReviewThread'
      await graph(`mutation ($id: ID!) { ${mutation}(input: { threadId: $id }) { thread { id } } }`, { id })
    },
    async ready ({ number }) {
      const id = textOf(fieldsOf(await client.json(here, `${at}/pulls/${number}`))['node_id'], 200)
      await graph('mutation ($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { id } } }', { id })
    },
    async merge ({ number, sha }, method) {
      await client.json(here, `${at}/pulls/${number}/merge`, { method: 'PUT', body: { sha, merge_method: method } })
    },
    async close (number) { await client.json(here, `${at}/pulls/${number}`, { method: 'PATCH', body: { state: 'closed' } }) }
  }
}

function pullOf (said: unknown): Pull | null {
  const { merged_at: mergedAt, state } = fieldsOf(said)
  const pull = pullIn(said)
  return pull && { ...pull, state: typeof mergedAt === 'string' ? 'merged' : state === 'open' ? 'open' : 'closed' }
}

/** By `conclusion`; those that nobody has to fix do not count as failures. */
const conclusions: Readonly<Record<string, CheckState>> = { success: 'passed', neutral: 'skipped', skipped: 'skipped', stale: 'skipped' }

function runOf (said: unknown): Check {
  const { id, name, status, conclusion, html_url: web, output, app } = fieldsOf(said)
  const title = lineOf(fieldsOf(output)['title'])
  return {
    id: idOf(id),
    name: lineOf(name),
    state: status === 'completed' ? meaningOf(conclusions, conclusion) ?? 'failed' : 'pending',
    summary: title,
    web: webOf(web),
    hasLog: fieldsOf(app)['slug'] === runsJobs || title !== ''
  }
}

/** Parses a status of a commit, which programs other than Actions report. */
function statusOf (said: unknown): Check {
  const { id, context, state, description, target_url: web } = fieldsOf(said)
  return {
    id: `status-${idOf(id)}`, name: lineOf(context), state: state === 'success' ? 'passed' : state === 'pending' ? 'pending' : 'failed',
    summary: lineOf(description), web: webOf(web), hasLog: false
  }
}

function threadOf (said: unknown): Thread {
  const { id, isResolved, path, line, originalLine, comments } = fieldsOf(said)
  return {
    id: idOf(id), path: lineOf(path), line: wholeOf(line) ?? wholeOf(originalLine), isResolved: isResolved === true, canReply: true,
    comments: listOf(fieldsOf(comments)['nodes'], 20).map((each) => {
      const { databaseId, body, createdAt, author } = fieldsOf(each)
      const { login, __typename: type } = fieldsOf(author)
      return { id: idOf(databaseId), author: lineOf(login), isBot: type === 'Bot', body: textOf(body), atS: secondsOf(createdAt) }
    })
  }
}
