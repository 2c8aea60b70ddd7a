import { type Check, type CheckState, type Comment, type Forge, type MergeMethod, type NewPull, type Pull, type Thread } from '../forge.js'
import { type ForgeClient, type ForgeSeat } from '../client.js'
import { fieldsOf, idOf, lineOf, listOf, meaningOf, textOf, webOf, wholeOf, yesOrNo } from '../parsing.js'
import { approversIn, commentIn, conversationOf, headIn, pullIn } from './github-words.js'
import { draftPrefix, notingErrors, ofBranch, pullsIn, required } from './shared.js'

/** Further reviews have to be read on the forge. */
const mostReviews = 20

/** Gitea and Forgejo, through the REST interface v1. Resolving threads needs Gitea 1.26 or later; others refuse. */
export function createGitea (client: ForgeClient, seat: ForgeSeat, repository: string): Forge {
  const [owner = '', name = ''] = repository.split('/')
  const at = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`
  const here: ForgeSeat = { ...seat, authorization: { authorization: `token ${seat.token}` } }
  const change = async (number: number, body: unknown): Promise<void> => {
    await client.json(here, `${at}/pulls/${number}`, { method: 'PATCH', body })
  }
  /** The interface takes labels by their ids. */
  async function labelIds (names: readonly string[], notes: string[]): Promise<number[]> {
    if (names.length === 0) return []
    const known = listOf(await client.json(here, `${at}/labels?limit=50`)).map(fieldsOf)
    return names.flatMap((wanted) => {
      const id = wholeOf(known.find((label) => label['name'] === wanted)?.['id'])
      if (id !== null) return [id]
      notes.push(`Labels: ${seat.name} has no ${wanted}`)
      return []
    })
  }

  return {
    async repository () {
      const said = fieldsOf(await client.json(here, at))
      const allowed = ([
        ['merge', 'allow_merge_commits'], ['squash', 'allow_squash_merge'], ['rebase', 'allow_rebase']
      ] as const).flatMap(([method, key]): MergeMethod[] => said[key] === false ? [] : [method])
      const usual = said['default_merge_style']
      return { defaultBranch: lineOf(said['default_branch']), methods: allowed.sort((one, other) => Number(other === usual) - Number(one === usual)) }
    },
    list: async () => pullsIn(await client.json(here, `${at}/pulls?state=open&sort=recentupdate&limit=50`), pullOf),
    async find (head) {
      const all = listOf(await client.json(here, `${at}/pulls?state=all&sort=recentupdate&limit=50`))
      return ofBranch(pullsIn(all.filter((each) => isFrom(each, head)), pullOf))
    },
    get: async (number) => required(seat, pullOf(await client.json(here, `${at}/pulls/${number}`))),

    async open ({ title, body, base, head, isDraft, reviewers, labels }) {
      const notes: string[] = []
      const made = await client.json(here, `${at}/pulls`, {
        method: 'POST',
        body: {
          title: isDraft && !draftPrefix.test(title) ? `WIP: ${title}` : title, body, base,
          head: headIn(repository, head), labels: await labelIds(labels, notes)
        }
      })
      const number = required(seat, wholeOf(fieldsOf(made)['number']))
      if (reviewers.length > 0) {
        await notingErrors(notes, 'Reviewers', client.json(here, `${at}/pulls/${number}/requested_reviewers`, { method: 'POST', body: { reviewers } }))
      }
      return { number, notes }
    },

    async checks ({ sha }) {
      const said = fieldsOf(await client.json(here, `${at}/commits/${encodeURIComponent(sha)}/status`, { orNull: true }))
      return listOf(said['statuses']).map(checkOf)
    },
    /** A job of Actions is identified by the address in its status; other statuses have no log that could be read. */
    async log (pull, checkId) {
      const said = fieldsOf(await client.json(here, `${at}/commits/${encodeURIComponent(pull.sha)}/status`))
      const status = listOf(said['statuses']).map(fieldsOf).find(({ id }) => idOf(id) === checkId)
      const [, run, job] = jobAddress.exec(textOf(status?.['target_url'], 2_000)) ?? []
      if (run === undefined || job === undefined) return { text: textOf(status?.['description']), isCut: false }
      const jobs = listOf(fieldsOf(await client.json(here, `${at}/actions/runs/${run}/jobs`))['jobs']).map(fieldsOf)
      // Newer versions identify the job by its id, older ones by its index.
      const id = idOf((jobs.find((each) => idOf(each['id']) === job) ?? jobs[Number(job)])?.['id'])
      return await client.tail(here, `${at}/actions/jobs/${encodeURIComponent(id)}/logs`)
    },

    async threads (number) {
      const [comments, reviews] = await Promise.all([
        client.json(here, `${at}/issues/${number}/comments?limit=50`), client.json(here, `${at}/pulls/${number}/reviews?limit=50`)
      ])
      const commented = listOf(reviews).map(fieldsOf).filter(({ comments_count: count }) => wholeOf(count) !== null).slice(-mostReviews)
      const lines = await Promise.all(commented.map(async ({ id }) =>
        listOf(await client.json(here, `${at}/pulls/${number}/reviews/${encodeURIComponent(idOf(id))}/comments`))))
      return [
        ...threadsOf(lines.flat()),
        ...conversationOf([...listOf(comments), ...listOf(reviews)].map(commentOf))
      ]
    },

    approvals: async (number) => approversIn(await client.json(here, `${at}/pulls/${number}/reviews?limit=50`)),

    async comment (number, body) { await client.json(here, `${at}/issues/${number}/comments`, { method: 'POST', body: { body } }) },
    /** A comment on the same line joins the existing thread. */
    async reply (number, { path, line }, body) {
      await client.json(here, `${at}/pulls/${number}/reviews`, {
        method: 'POST', body: { event: 'COMMENT', comments: [{ path, body, new_position: line ?? 0 }] }
      })
    },
    async resolve (_number, { comments }, isResolved) {
      const id = encodeURIComponent(comments[0]?.id ?? '')
      await client.json(here, `${at}/pulls/comments/${id}/${isResolved ? 'resolve' : 'unresolve'}`, { method: 'POST' })
    },
    ready: async ({ number, title }) => await change(number, { title: title.replace(draftPrefix, '') }),
    async merge ({ number, sha }, method) {
      await client.json(here, `${at}/pulls/${number}/merge`, { method: 'POST', body: { Do: method, head_commit_id: sha } })
    },
    close: async (number) => await change(number, { state: 'closed' })
  }
}

const jobAddress = /\/actions\/runs\/(\d+)\/jobs\/(\d+)(?:$|[/?#])/

function pullOf (said: unknown): Pull | null {
  const { merged, state, draft } = fieldsOf(said)
  const pull = pullIn(said)
  return pull && {
    ...pull, state: merged === true ? 'merged' : state === 'open' ? 'open' : 'closed', isDraft: yesOrNo(draft) ?? draftPrefix.test(pull.title)
  }
}

/** Whether a pull request comes from this branch. */
function isFrom (said: unknown, { branch, repository }: NewPull['head']): boolean {
  // Once the branch is deleted, `ref` has another value, but `label` still its name.
  const { ref, label, repo } = fieldsOf(fieldsOf(said)['head'])
  const full = textOf(fieldsOf(repo)['full_name'], 300)
  return (ref === branch || label === branch) && (full === '' || full.toLowerCase() === repository.toLowerCase())
}

const states: Readonly<Record<string, CheckState>> = { success: 'passed', pending: 'pending', warning: 'skipped', skipped: 'skipped' }

function checkOf (said: unknown): Check {
  const { id, context, status, description, target_url: web } = fieldsOf(said)
  return {
    id: idOf(id), name: lineOf(context), state: meaningOf(states, status) ?? 'failed', summary: lineOf(description), web: webOf(web),
    hasLog: jobAddress.test(textOf(web, 2_000))
  }
}

/** Groups comments on lines; those on the same line of the same file form a thread. */
function threadsOf (said: readonly unknown[]): Thread[] {
  const threads = new Map<string, Thread>()
  for (const each of said.map(fieldsOf)) {
    const path = lineOf(each['path'])
    const line = wholeOf(each['position']) ?? wholeOf(each['original_position'])
    const comment = commentOf(each)
    const key = `${path}:${line ?? ''}`
    const known = threads.get(key)
    if (known !== undefined) known.comments.push(comment)
    else threads.set(key, { id: comment.id, path, line, isResolved: fieldsOf(each['resolver'])['login'] !== undefined, canReply: true, comments: [comment] })
  }
  for (const { comments } of threads.values()) comments.sort((one, other) => one.atS - other.atS)
  return [...threads.values()]
}

const commentOf = (said: unknown): Comment => commentIn(said, ({ login }) => /\[bot\]$|-bot$/.test(lineOf(login)))
