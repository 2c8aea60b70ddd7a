import { type Check, type CheckState, type Forge, type MergeMethod, type Pull, type Thread } from '../forge.js'
import { type ForgeClient, type ForgeSeat } from '../client.js'
import { fieldsOf, idOf, lineOf, listOf, meaningOf, namesIn, secondsOf, textOf, webOf, wholeOf } from '../parsing.js'
import { draftPrefix, ofBranch, pullsIn, required } from './shared.js'

/** GitLab, through the REST interface v4. */
export function createGitLab (client: ForgeClient, seat: ForgeSeat, repository: string): Forge {
  const at = `/projects/${encodeURIComponent(repository)}`
  const here: ForgeSeat = { ...seat, authorization: { 'private-token': seat.token } }
  const requests = `${at}/merge_requests`
  const project = async (path = repository): Promise<Record<string, unknown>> =>
    fieldsOf(await client.json(here, `/projects/${encodeURIComponent(path)}`))
  const put = async (number: number, body: unknown): Promise<void> => {
    await client.json(here, `${requests}/${number}`, { method: 'PUT', body })
  }
  /** The interface takes users by their ids. */
  async function userIds (names: readonly string[], notes: string[]): Promise<number[]> {
    const users = await Promise.all(names.map(async (name) => {
      const [first] = listOf(await client.json(here, `/users?username=${encodeURIComponent(name)}`))
      const id = wholeOf(fieldsOf(first)['id'])
      if (id === null) notes.push(`Reviewers: ${seat.name} knows no ${name}`)
      return id
    }))
    return users.filter((id) => id !== null)
  }

  return {
    async repository () {
      const { default_branch: branch, merge_method: method, squash_option: squash } = await project()
      // Whether a merge makes a merge commit is set for the project; a person can choose only whether to squash.
      const usual: MergeMethod = method === 'ff' ? 'rebase' : 'merge'
      const methods: MergeMethod[] = squash === 'always'
        ? ['squash']
        : squash === 'never' ? [usual] : squash === 'default_on' ? ['squash', usual] : [usual, 'squash']
      return { defaultBranch: lineOf(branch), methods }
    },
    list: async () => pullsIn(await client.json(here, `${requests}?state=opened&order_by=updated_at&per_page=50`), pullOf),
    async find ({ branch, repository: from }) {
      const path = `${requests}?source_branch=${encodeURIComponent(branch)}&state=all&order_by=updated_at&per_page=20`
      const source = from === repository ? null : wholeOf((await project(from))['id'])
      const all = listOf(await client.json(here, path)).filter((each) => {
        const { source_project_id: own, project_id: target } = fieldsOf(each)
        return own === undefined || own === (source ?? target)
      })
      return ofBranch(pullsIn(all, pullOf))
    },
    get: async (number) => required(seat, pullOf(await client.json(here, `${requests}/${number}`))),

    async open ({ title, body, base, head, isDraft, reviewers, labels }) {
      const notes: string[] = []
      const isFork = head.repository !== repository
      const made = await client.json(here, isFork ? `/projects/${encodeURIComponent(head.repository)}/merge_requests` : requests, {
        method: 'POST',
        body: {
          source_branch: head.branch, target_branch: base, title: isDraft && !draftPrefix.test(title) ? `Draft: ${title}` : title,
          description: body, labels: labels.join(','), reviewer_ids: await userIds(reviewers, notes),
          ...(isFork && { target_project_id: (await project())['id'] })
        }
      })
      return { number: required(seat, wholeOf(fieldsOf(made)['iid'])), notes }
    },

    async checks ({ number, sha }) {
      const pipeline = fieldsOf(fieldsOf(await client.json(here, `${requests}/${number}`))['head_pipeline'])
      const id = wholeOf(pipeline['id'])
      const [jobs, statuses] = await Promise.all([
        id === null ? [] : client.json(here, `${at}/pipelines/${id}/jobs?per_page=100`),
        client.json(here, `${at}/repository/commits/${encodeURIComponent(sha)}/statuses?per_page=100`, { orNull: true })
      ])
      const own = listOf(jobs).map((each) => checkOf(each, 'web_url', true))
      const names = new Set(own.map(({ name }) => name))
      return [...own, ...listOf(statuses).map((each) => checkOf(each, 'target_url', false)).filter(({ name }) => !names.has(name))]
    },
    log: async (_pull, checkId) => await client.tail(here, `${at}/jobs/${encodeURIComponent(checkId)}/trace`),

    async threads (number) {
      return listOf(await client.json(here, `${requests}/${number}/discussions?per_page=100`)).flatMap((each) => threadOf(each) ?? [])
    },

    async approvals (number) {
      const said = fieldsOf(await client.json(here, `${requests}/${number}/approvals`, { orNull: true }))
      return listOf(said['approved_by']).map((each) => lineOf(fieldsOf(fieldsOf(each)['user'])['username'])).filter((name) => name !== '')
    },

    async comment (number, body) { await client.json(here, `${requests}/${number}/notes`, { method: 'POST', body: { body } }) },
    async reply (number, { id }, body) {
      await client.json(here, `${requests}/${number}/discussions/${encodeURIComponent(id)}/notes`, { method: 'POST', body: { body } })
    },
    async resolve (number, { id }, isResolved) {
      await client.json(here, `${requests}/${number}/discussions/${encodeURIComponent(id)}`, { method: 'PUT', body: { resolved: isResolved } })
    },
    ready: async ({ number, title }) => await put(number, { title: title.replace(draftPrefix, '') }),
    async merge ({ number, sha }, method) {
      await client.json(here, `${requests}/${number}/merge`, { method: 'PUT', body: { sha, squash: method === 'squash' } })
    },
    close: async (number) => await put(number, { state_event: 'close' })
  }
}

function pullOf (said: unknown): Pull | null {
  const pull = fieldsOf(said)
  const number = wholeOf(pull['iid'])
  if (number === null) return null
  const status = lineOf(pull['detailed_merge_status'])
  return {
    number,
    title: lineOf(pull['title']),
    state: pull['state'] === 'merged' ? 'merged' : pull['state'] === 'opened' ? 'open' : 'closed',
    isDraft: pull['draft'] === true,
    author: lineOf(fieldsOf(pull['author'])['username']),
    base: lineOf(pull['target_branch']),
    head: lineOf(pull['source_branch']),
    sha: lineOf(pull['sha']),
    web: webOf(pull['web_url']),
    createdAtS: secondsOf(pull['created_at']),
    updatedAtS: secondsOf(pull['updated_at']),
    body: textOf(pull['description']),
    labels: listOf(pull['labels']).map(lineOf).filter((label) => label !== ''),
    reviewers: namesIn(pull['reviewers'], 'username'),
    isMergeable: status === '' || /^(?:checking|unchecked|preparing|approvals_syncing)$/.test(status) ? null : status === 'mergeable'
  }
}

const states: Readonly<Record<string, CheckState>> = { success: 'passed', failed: 'failed', canceled: 'failed', skipped: 'skipped', manual: 'skipped' }

function checkOf (said: unknown, webKey: string, isJob: boolean): Check {
  const check = fieldsOf(said)
  const state = meaningOf(states, check['status']) ?? 'pending'
  return {
    id: idOf(check['id']),
    name: lineOf(check['name']),
    // A check that is allowed to fail blocks nothing.
    state: state === 'failed' && check['allow_failure'] === true ? 'skipped' : state,
    summary: lineOf(check['failure_reason'] ?? check['description'] ?? check['stage']),
    web: webOf(check[webKey]),
    hasLog: isJob && state !== 'pending'
  }
}

/** Parses a discussion; null if it has only notes of the system. */
function threadOf (said: unknown): Thread | null {
  const { id, notes } = fieldsOf(said)
  const all = listOf(notes, 50).map(fieldsOf).filter(({ system }) => system !== true)
  const [first] = all
  if (first === undefined) return null
  const position = fieldsOf(first['position'])
  const path = lineOf(position['new_path'] ?? position['old_path'])
  return {
    id: idOf(id),
    path: path === '' ? null : path,
    line: wholeOf(position['new_line']) ?? wholeOf(position['old_line']),
    isResolved: first['resolvable'] === true ? first['resolved'] === true : null,
    canReply: true,
    comments: all.map(({ id: noteId, author, body, created_at: at }) => {
      const { username, bot } = fieldsOf(author)
      return { id: idOf(noteId), author: lineOf(username), isBot: bot === true, body: textOf(body), atS: secondsOf(at) }
    })
  }
}
