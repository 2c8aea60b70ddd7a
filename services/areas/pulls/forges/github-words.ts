import { type Comment, type NewPull, type Pull, type Thread } from '../forge.js'
import { fieldsOf, idOf, lineOf, listOf, meaningOf, namesIn, secondsOf, textOf, webOf, wholeOf, yesOrNo } from '../parsing.js'

/** Parsers for GitHub and for Gitea, whose interface is modelled on it. */

/** Parses a pull request without its state, which the two report differently; null for anything else. */
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

/** Parses a comment, or a review with its text. */
export function commentIn (said: unknown, isBot: (user: Record<string, unknown>) => boolean): Comment {
  const { id, body, user, created_at: created, submitted_at: submitted } = fieldsOf(said)
  const author = fieldsOf(user)
  return { id: idOf(id), author: lineOf(author['login']), isBot: isBot(author), body: textOf(body), atS: secondsOf(created ?? submitted) }
}

/** Returns comments on the whole pull request, each as a thread: they cannot be replied to or resolved. */
export const conversationOf = (comments: readonly Comment[]): Thread[] => comments.filter(({ body }) => body.trim() !== '').map((comment) => ({
  id: `comment-${comment.id}`, path: null, line: null, isResolved: null, canReply: false, comments: [comment]
}))

const decisions: Readonly<Record<string, boolean>> = { APPROVED: true, CHANGES_REQUESTED: false, REQUEST_CHANGES: false, DISMISSED: false }

/** Returns the approvers: those whose last decision in these reviews, oldest first, is an approval. A comment alone is not a decision. */
export function approversIn (reviews: unknown): string[] {
  const approve = new Map<string, boolean>()
  for (const { user, state, dismissed } of listOf(reviews).map(fieldsOf)) {
    const isApproval = meaningOf(decisions, state)
    if (isApproval !== undefined) approve.set(lineOf(fieldsOf(user)['login']), isApproval && dismissed !== true)
  }
  return [...approve].flatMap(([name, isApproval]) => isApproval ? [name] : [])
}

/** Returns the branch to merge, with the owner of its fork. */
export const headIn = (repository: string, { branch, repository: from }: NewPull['head']): string =>
  from === repository ? branch : `${from.split('/')[0] ?? ''}:${branch}`
