import { type Static } from '@sinclair/typebox'
import { type PendingApproval, type PendingClarification } from '../../../schemas/prompts.js'
import { Invalid } from '../../ground/errors.js'
import { isRecord } from '../../ground/fields.js'
import { type ApprovalChoice } from '../../agent/protocol.js'
import { type PendingPrompt, type QuestionResponse } from '../prompts/index.js'

type Approval = Static<typeof PendingApproval>
type Question = Static<typeof PendingClarification>
type Field = NonNullable<Question['form']>['fields'][number]
type Choice = Exclude<ApprovalChoice, 'always'>

/** A prompt in the form in which a program shows it to its user. */
export interface PromptForm {
  method: 'elicitation/create'
  params: {
    mode: 'form'
    message: string
    requestedSchema: { type: 'object', properties: Record<string, Record<string, unknown>>, required: string[] }
  }
}

/** A person's decision about a prompt. */
export type PromptDecision = { kind: 'approval', choice: Choice } | { kind: 'clarify', response: QuestionResponse }

const choices: Record<Choice, string> = { once: 'Allow this time', session: 'Allow in this chat', deny: 'Deny' }

export const promptId = (prompt: PendingPrompt): string => 'approval_id' in prompt ? prompt.approval_id : prompt.clarify_id

/** Whether a program can show a prompt to its user. Opening a page and granting permanent permissions are possible only in the app. */
export const isAskable = (prompt: PendingPrompt): boolean => 'approval_id' in prompt || prompt.link === undefined

/** Returns the form that a program shows for a prompt: its message contains everything that is decided about. */
export function inputRequest (prompt: PendingPrompt): PromptForm {
  const [message, fields] = 'approval_id' in prompt
    ? [approvalText(prompt), [choiceOf('choice', 'Your decision', choicesFor(prompt).map((value) => ({ value, title: choices[value] })))]]
    : [prompt.form?.message ?? prompt.question, prompt.form?.fields ?? questionFields(prompt)]
  return {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message,
      requestedSchema: {
        type: 'object',
        properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
        required: fields.filter(({ required }) => required).map(({ name }) => name)
      }
    }
  }
}

/**
 * Reads the answer to a prompt. Returns undefined if the person put it off, and it keeps waiting. A declined approval is a denial. Throws
 * Invalid for an answer that does not fit.
 */
export function decisionOf (prompt: PendingPrompt, answer: unknown): PromptDecision | undefined {
  if (!isRecord(answer)) throw new Invalid('An input response must be an object with an action')
  const { action, content } = answer
  if (action === 'cancel') return undefined
  if (action !== 'accept' && action !== 'decline') throw new Invalid('action must be accept, decline or cancel')
  const values = action === 'decline' ? null : isRecord(content) ? content : {}
  if ('approval_id' in prompt) {
    const choice = values === null ? 'deny' : choicesFor(prompt).find((offered) => offered === values['choice'])
    if (choice === undefined) throw new Invalid(`choice must be one of ${choicesFor(prompt).join(', ')}`)
    return { kind: 'approval', choice }
  }
  if (prompt.form !== undefined) return { kind: 'clarify', response: values }
  if (values === null) return undefined
  const response = [values['response'], values['choice']].find((value) => typeof value === 'string' && value.trim() !== '')
  if (typeof response !== 'string') throw new Invalid('The answer must contain a choice, or a response in words')
  return { kind: 'clarify', response }
}

const isWhole = ({ rest = [], content_truncated: isCut = false, diff_truncated: isDiffCut = false }: Approval): boolean =>
  rest.length === 0 && !isCut && !isDiffCut

/** An approval of which any part is not shown can only be denied. */
function choicesFor (approval: Approval): Choice[] {
  if (!isWhole(approval)) return ['deny']
  return approval.max_scope === 'once' ? ['once', 'deny'] : ['once', 'session', 'deny']
}

function approvalText (approval: Approval): string {
  const { description, command, content, diff, diff_note: note, folder } = approval
  return [
    // The service's own words come first, because the rest could imitate them.
    description, ...folder === undefined ? [] : [`Folder: ${folder}`],
    command,
    ...[diff ?? note, content].flatMap((text) => text === undefined || command.includes(text) ? [] : [text]),
    ...isWhole(approval) ? [] : ['Part of it is not shown here. To allow it, open the chat in the app.']
  ].join('\n\n')
}

/** A choice, or words. Both may be left empty, because a form cannot demand "one of them". */
function questionFields ({ choices_offered: offered }: Question): Field[] {
  const words: Field = {
    name: 'response', type: 'string', title: offered.length === 0 ? 'Your answer' : 'Or in your own words', description: '',
    required: offered.length === 0
  }
  return offered.length === 0
    ? [words]
    : [{ ...choiceOf('choice', 'Your answer', offered.map((value) => ({ value, title: value }))), required: false }, words]
}

const choiceOf = (name: string, title: string, options: Array<{ value: string, title: string }>): Field =>
  ({ name, type: 'string', title, description: '', required: true, options })

/** Describes a field as the protocol does; services/agent/mcp/form-schema.ts reads the same form from servers. */
function fieldSchema ({ type, title, description, options, default: value, format, min, max }: Field): Record<string, unknown> {
  const offered = options?.map((option) => ({ const: option.value, title: option.title }))
  const [least, most] = type === 'array'
    ? ['minItems', 'maxItems']
    : type === 'string' ? ['minLength', 'maxLength'] : ['minimum', 'maximum']
  return {
    type,
    title,
    ...description !== '' && { description },
    ...offered !== undefined && (type === 'array' ? { items: { anyOf: offered } } : { oneOf: offered }),
    ...value !== undefined && { default: value },
    ...format !== undefined && { format },
    ...min !== undefined && { [least]: min },
    ...max !== undefined && { [most]: max }
  }
}
