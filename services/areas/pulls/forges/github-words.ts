import { type Comment, type NewPull, type Pull, type Thread } from '../forge.js'
import { fieldsOf, idOf, lineOf, listOf, meaningOf, namesIn, secondsOf, textOf, webOf, wholeOf, yesOrNo } from '../reading.js'

/** What GitHub and Gitea, whose interface is modelled on it, say in the same words. */

/** A pull request but for its state, which each says in its own way; null: it is none. */
export function pullIn (said: unknown): Omit<Pull, 'state'> | null {
  const pull = fieldsOf(said)
  const number = wholeOf(pull['number'])
  if (number === null) return null
  const head = fieldsOf(pull['head'])
  return {
    number,
    title: lineOf(pull['title']),
    isDraft: pull['draft'] === true,
    author: lineOf(fieldsOf(pull['user'])['login']),
    base: lineOf(fieldsOf(pull['base'])['ref']),
    head: lineOf(head['ref']),
    sha: lineOf(head['sha']),
    web: webOf(pull['html_url']),
    createdAtS: secondsOf(pull['created_at']),
    updatedAtS: secondsOf(pull['updated_at']),
    body: textOf(pull['body']),
    labels: namesIn(pull['labels'], 'name'),
    reviewers: namesIn(pull['requested_reviewers'], 'login'),
    isMergeable: yesOrNo(pull['mergeable'])
  }
}

/** A comment, or a review with its text. */
export function commentIn (said: unknown, isBot: (user: Record<string, unknown>) => boolean): Comment {
  const { id, body, user, created_at: created, submitted_at: submitted } = fieldsOf(said)
  const author = fieldsOf(user)
  return { id: idOf(id), author: lineOf(author['login']), isBot: isBot(author), body: textOf(body), atS: secondsOf(created ?? submitted) }
}

/** Comments on the whole, each by itself: they cannot be answered or resolved. */
export const conversationOf = (comments: readonly Comment[]): Thread[] => comments.filter(({ body }) => body.trim() !== '').map((comment) => ({
  id: `comment-${comment.id}`, path: null, line: null, isResolved: null, canReply: false, comments: [comment]
}))

const decisions: Readonly<Record<string, boolean>> = { APPROVED: true, CHANGES_REQUESTED: false, REQUEST_CHANGES: false, DISMISSED: false }

/** Returns who approves: those whose last decision in these reviews, oldest first, is an approval. A comment alone is no decision. */
export function approversIn (reviews: unknown): string[] {
  const approve = new Map<string, boolean>()
  for (const { user, state, dismissed } of listOf(reviews).map(fieldsOf)) {
    const isApproval = meaningOf(decisions, state)
    if (isApproval !== undefined) approve.set(lineOf(fieldsOf(user)['login']), isApproval && dismissed !== true)
  }
  return [...approve].flatMap(([name, isApproval]) => isApproval ? [name] : [])
}

/** The branch to merge, with the owner of the fork that it is in. */
export const headIn = (repository: string, { branch, repository: from }: NewPull['head']): string =>
  from === repository ? branch : `${from.split('/')[0] ?? ''}:${branch}`
