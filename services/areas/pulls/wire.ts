import { type Static } from '@sinclair/typebox'
import { type ForgeInfo, type PullAnswer, type PullListAnswer, type PullLogAnswer } from '../../../schemas/pulls.js'
import { type ForgeAddress } from './address.js'
import { forgeNames, type Check, type LogTail, type Pull, type PullSummary, type Thread } from './forge.js'
import { type PullLookup } from './lookups.js'
import { maskedText, plainLog, shownWithin } from './texts.js'
import { type TokenSource } from './tokens.js'

export function lookToWire (
  { reason, host, address, path, repository, branch, pull, checks, threads, problems, nextLookS }: PullLookup
): Static<typeof PullAnswer> {
  return {
    reason,
    host,
    forge: address === null ? null : { kind: address.kind, name: forgeNames[address.kind], host: address.host },
    repository: repository === null || path === null
      ? null
      : { path, default_branch: maskedText(repository.defaultBranch), methods: repository.methods },
    branch: branch === null
      ? null
      : { name: branch.name, sha: branch.sha, pushed: branch.isPushed, ahead: branch.ahead, behind: branch.behind },
    pull: pull === null ? null : pullToWire(pull),
    checks: checks.map(checkToWire),
    threads: threadsToWire(threads),
    problems,
    next_look_s: nextLookS
  }
}

export function summaryToWire (
  { number, title, state, isDraft, author, base, head, sha, web, updatedAtS }: PullSummary
): Static<typeof PullListAnswer>['pulls'][number] {
  return {
    number, title: maskedText(title), state, draft: isDraft, author: maskedText(author), base: maskedText(base), head: maskedText(head),
    sha, web, updated_at: updatedAtS
  }
}

export function logToWire ({ text, isCut }: LogTail): Static<typeof PullLogAnswer> {
  return { text: plainLog(text), truncated: isCut }
}

export function forgeToWire ({ kind, host, api, source }: ForgeAddress & { source: TokenSource | null }): Static<typeof ForgeInfo> {
  return { kind, name: forgeNames[kind], host, url: api, token_from: source }
}

const bodyChars = 20_000

function pullToWire (pull: Pull): NonNullable<Static<typeof PullAnswer>['pull']> {
  return {
    ...summaryToWire(pull), body: shownWithin(pull.body, bodyChars), labels: pull.labels.map(maskedText),
    reviewers: pull.reviewers.map(maskedText), mergeable: pull.isMergeable
  }
}

function checkToWire ({ id, name, state, summary, web, hasLog }: Check): Static<typeof PullAnswer>['checks'][number] {
  return { id, name: maskedText(name), state, summary: maskedText(summary), web, has_log: hasLog }
}

/** More than anybody reads at once; the rest of the comments is on the forge. */
const commentsChars = 300_000
const commentChars = 8_000

function threadsToWire (threads: readonly Thread[]): Static<typeof PullAnswer>['threads'] {
  let left = commentsChars
  return threads.map(({ id, path, line, isResolved, canReply, comments }) => ({
    id,
    path: path === null ? null : maskedText(path),
    line,
    resolved: isResolved,
    can_reply: canReply,
    comments: comments.map(({ id, author, isBot, body, atS }) => {
      const text = shownWithin(body, Math.min(left, commentChars))
      left -= text.length
      return { id, author: maskedText(author), bot: isBot, body: text, created_at: atS }
    })
  }))
}
