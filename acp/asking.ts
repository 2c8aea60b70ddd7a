import { type PermissionOption, type ToolCallUpdate } from '@agentclientprotocol/sdk'
import { ApiError, type Client, type Wire } from '../clients/typescript/src/index.js'
import { type Editor } from './editor.js'
import { schemaOf } from './forms.js'
import { fenced } from './updates.js'

type Approval = Wire<'PendingApproval'>
type Question = Wire<'PendingClarification'>

export interface AskingOptions {
  service: Client
  editor: Editor
  sessionId: string
  /** Whether the editor supports forms. */
  hasForms: boolean
  signal: AbortSignal
  /** Resolves with the call that waits, whose frame may arrive after the card; null if it does not arrive soon. */
  callOf: (approval: Approval) => Promise<ToolCallUpdate | null>
  say: (text: string) => Promise<void>
}

/**
 * Shows an editor's user what the agent asks, as long as it waits. A prompt that is answered elsewhere is withdrawn here. Throws ApiError.
 */
export async function relayPrompts (options: AskingOptions): Promise<void> {
  const { service, sessionId, signal } = options
  const query = { session_id: sessionId }
  await Promise.all([
    relay(
      options, service.watch('/api/approval/stream', query, { signal }), ({ approval_id: id }) => id,
      async (approval, gone) => await askApproval(options, approval, gone)
    ),
    relay(
      options, service.watch('/api/clarify/stream', query, { signal }), ({ clarify_id: id }) => id,
      async (question, gone) => await askQuestion(options, question, gone)
    )
  ])
}

async function relay<Asked> (
  { signal, say }: AskingOptions, frames: AsyncIterable<{ data: { pending: Asked | null } }>, idOf: (prompt: Asked) => string,
  ask: (prompt: Asked, signal: AbortSignal) => Promise<void>
): Promise<void> {
  const shown: { open: { id: string, gone: AbortController } | null } = { open: null }
  try {
    for await (const { data: { pending } } of frames) {
      const id = pending === null ? null : idOf(pending)
      if (shown.open?.id === id) continue
      shown.open?.gone.abort()
      shown.open = id === null ? null : { id, gone: new AbortController() }
      // Not awaited: while the prompt waits here, it may be answered elsewhere.
      if (pending !== null && shown.open !== null) {
        void ask(pending, AbortSignal.any([signal, shown.open.gone.signal])).catch(async (error: unknown) => {
          if (error instanceof ApiError) await say(`\n\nThe answer did not arrive: ${error.message}\n`)
        })
      }
    }
  } finally {
    shown.open?.gone.abort()
  }
}

/** Returns a card's content, read to its end; `left`: how many characters of it are not available. */
async function wholeOf (
  { service, sessionId }: AskingOptions, { approval_id: id, command, content, diff, rest }: Approval
): Promise<{ shown: string, left: number }> {
  const [field, start] = diff !== undefined
    ? ['diff', diff] as const
    : content !== undefined ? ['content', content] as const : ['command', command] as const
  const more = rest?.find((one) => one.field === field)
  let text = start
  let left = more?.chars ?? 0
  try {
    for (let at = more?.at ?? null; at !== null;) {
      const page = await service.api.get('/api/approval/text', { session_id: sessionId, approval_id: id, field, at: String(at) })
      text += page.text
      at = page.next
      left = page.left
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
  return { shown: fenced(text, field === 'diff' ? 'diff' : ''), left }
}

const choices = ['once', 'session', 'always', 'deny'] as const

async function askApproval (asking: AskingOptions, approval: Approval, signal: AbortSignal): Promise<void> {
  const { service, editor, sessionId, callOf } = asking
  const { approval_id: id, description, max_scope: scope } = approval
  const call = await callOf(approval) ?? {
    toolCallId: `approval-${id}`, kind: approval.file !== undefined ? 'edit' : approval.command_parts !== undefined ? 'execute' : 'other'
  }
  const { shown, left } = await wholeOf(asking, approval)
  if (signal.aborted) return
  // A call that was not shown in full cannot be allowed here.
  const missing = left === 0
    ? ''
    : `\n\n${left.toLocaleString('en-US')} characters of it are not shown here, so it can only be denied. The app is at ${service.url}/session/${sessionId}.`
  const options: PermissionOption[] = [
    ...(left > 0 ? [] : [{ optionId: 'once', name: 'Allow once', kind: 'allow_once' as const }]),
    ...(left > 0 || scope === 'once' ? [] : [{ optionId: 'session', name: 'Allow in this chat', kind: 'allow_always' as const }]),
    ...(left > 0 || scope !== 'always' ? [] : [{ optionId: 'always', name: 'Always allow', kind: 'allow_always' as const }]),
    { optionId: 'deny', name: 'Deny', kind: 'reject_once' }
  ]
  const { outcome } = await editor.choose({
    sessionId, title: description, id: call.toolCallId, options,
    call: { ...call, content: [{ type: 'content', content: { type: 'text', text: shown + missing } }] }
  }, signal)
  if (signal.aborted || outcome.outcome === 'cancelled') return
  const choice = choices.find((each) => each === outcome.optionId) ?? 'deny'
  await service.api.post('/api/approval/respond', { session_id: sessionId, approval_id: id, choice })
}

async function askQuestion (options: AskingOptions, question: Question, signal: AbortSignal): Promise<void> {
  const { service, sessionId } = options
  const answer = question.form === undefined
    ? await answerOf(options, question, signal)
    : await filledIn(options, question, question.form, signal)
  if (signal.aborted || answer === null) return
  await service.api.post('/api/clarify/respond', {
    session_id: sessionId, clarify_id: question.clarify_id, ...(typeof answer === 'string' ? { response: answer } : answer)
  })
}

/** Returns the values that an editor has filled in; the library types them only as an object. */
const valuesIn = (content: unknown): Record<string, unknown> => Object.fromEntries(Object.entries(content ?? {}))

type FilledIn = { response: Record<string, unknown> } | { decline: true }

/** Shows a form in the editor. Null if it was not answered there, and waits for an answer elsewhere. */
async function filledIn (
  { editor, sessionId, hasForms, say, service }: AskingOptions, { question }: Question, { message, fields }: NonNullable<Question['form']>,
  signal: AbortSignal
): Promise<FilledIn | null> {
  if (!hasForms) {
    await say(`\n\n**${question}**\n\nThis editor cannot ask that: answer it in the app, at ${service.url}/session/${sessionId}\n`)
    return null
  }
  const answer = await editor.fill({
    mode: 'form',
    sessionId,
    message,
    requestedSchema: {
      type: 'object', properties: Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])),
      required: fields.filter(({ required }) => required).map(({ name }) => name)
    }
  }, signal)
  if (answer.action === 'decline') return { decline: true }
  return 'content' in answer ? { response: valuesIn(answer.content) } : null
}

/** Asks with a form if the editor supports them, else with buttons if there are choices. Null if it must be answered elsewhere. */
async function answerOf (
  { editor, sessionId, hasForms, say, service }: AskingOptions, { clarify_id: id, question, choices_offered: choices }: Question,
  signal: AbortSignal
): Promise<string | null> {
  if (hasForms) {
    const answer = await editor.fill({
      mode: 'form', sessionId, message: question,
      requestedSchema: {
        type: 'object', properties: { answer: { type: 'string', ...(choices.length > 0 && { enum: choices }) } }, required: ['answer']
      }
    }, signal)
    const said = 'content' in answer ? valuesIn(answer.content).answer : undefined
    return typeof said === 'string' && said !== '' ? said : null
  }
  if (choices.length === 0) {
    await say(`\n\n**${question}**\n\nThis editor cannot ask that: answer it in the app, at ${service.url}/session/${sessionId}\n`)
    return null
  }
  const options = choices.map((name, index): PermissionOption => ({ optionId: String(index), name, kind: 'allow_once' }))
  const { outcome } = await editor.choose({ sessionId, title: question, id: `question-${id}`, call: null, options }, signal)
  return outcome.outcome === 'selected' ? choices[Number(outcome.optionId)] ?? null : null
}
