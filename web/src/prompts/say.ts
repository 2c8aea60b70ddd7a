import { type Approval, type Waiting } from '../core/conversation/prompts.js'
import { screenWords, words } from '../words/index.js'
import { ruleOf, subjectOf } from './describe.js'
import { foldedLine } from './folding.js'

/** Returns a description of the requested action, without a question mark. */
function actionOf (approval: Approval): string {
  const w = words.value.asking.title
  const subject = subjectOf(approval)
  switch (subject.kind) {
    case 'create': case 'edit': case 'write': return w[subject.kind](subject.file)
    case 'createTask': case 'editTask': case 'pauseTask': case 'resumeTask': case 'deleteTask': return w[subject.kind](subject.name)
    case 'request': return w.request(subject.method, subject.host)
    case 'mcp': return w.mcp(subject.tool, subject.server)
    case 'sampling': return w.sampling(subject.server)
    default: return w[subject.kind]
  }
}

/** Describes what a grant of this pattern key would let the agent do. */
export function sayRule (key: string): string {
  const w = screenWords.value.prompts.rule
  const rule = ruleOf(key)
  switch (rule.kind) {
    case 'command': return w.command(rule.command)
    case 'net': return w.net(rule.host)
    case 'mcp': return w.mcp(rule.server, rule.tool)
    case 'budget': return w.budget(rule.scope, rule.measure)
    case 'other': return rule.key
    default: return w[rule.kind]
  }
}

/** Returns the heading of a card, which is a question; the fields of a form follow below. */
export const headOf = (waiting: Waiting): string => waiting.kind === 'approval'
  ? words.value.asking.asks(actionOf(waiting.prompt))
  : waiting.prompt.form?.message ?? waiting.prompt.question

/** Returns the line of a list in which something waits: the command, or the heading of its card. */
export const rowLineOf = (waiting: Waiting): string =>
  (waiting.kind === 'approval' && foldedLine(waiting.prompt)) || headOf(waiting)

/** Returns the line that replaces an answered card: for a command its first line, with hidden texts left out. */
export function lineOf (waiting: Waiting): string {
  if (waiting.kind === 'question' || subjectOf(waiting.prompt).kind !== 'command') {
    return waiting.kind === 'approval' ? actionOf(waiting.prompt) : headOf(waiting)
  }
  return foldedLine(waiting.prompt)
}

/** Returns the announcement of a new card for screen readers. */
export const sayWaiting = (waiting: Waiting): string => waiting.kind === 'approval'
  ? screenWords.value.prompts.asked([headOf(waiting), foldedLine(waiting.prompt)].join(' ').trim())
  : screenWords.value.prompts.questionAsked(headOf(waiting))
