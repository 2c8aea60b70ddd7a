import { type Static } from '@sinclair/typebox'
import {
  type ApprovalPending, type ClarifyPending, type OpenPrompts, type PendingApproval, type PendingClarification
} from '../../../schemas/prompts.js'
import { type ApprovalAsk, type ClarifyAsk } from '../../agent/protocol.js'
import { type Form, type FormValue } from '../../ground/form.js'
import { visibleProse, withoutGaps } from '../../ground/text/visible.js'
import { foresightToWire } from './foresight.js'
import { reasonsToWire } from './reasons.js'
import { type PromptRow } from './rows.js'
import { cardShowing, maskedShowing, plainShowing, type Showing } from './showing.js'
import { isFollowedLater, longTextsOf, mostShownChars, restInWords, seeCall } from './texts.js'

/** The first open prompt, as clients are shown it, and how many are open. */
export interface PendingOf { approval: Static<typeof ApprovalPending>, clarify: Static<typeof ClarifyPending> }
export type PendingPrompt = Static<typeof PendingApproval> | Static<typeof PendingClarification>
/** A prompt in the overview of all sessions. */
export type OpenPrompt = Static<typeof OpenPrompts>['prompts'][number]

/** How a prompt is shown: to a reader who decides, to a viewer, or with nothing masked. */
export type Onlooker = 'deciding' | 'looking' | 'unmasked'

const seeQuestion = (text: string): string => withoutGaps(visibleProse(text))

export function toWire (row: PromptRow, onlooker: Onlooker): PendingPrompt {
  const see = row.kind === 'approval' ? seeCall : seeQuestion
  if (onlooker === 'looking') return shownAs(row, maskedShowing(see), false)
  const showing = onlooker === 'deciding' ? cardShowing(see) : plainShowing(see)
  const wire = shownAs(row, showing, true)
  const { rest } = showing
  const masks = row.kind === 'approval' && isFollowedLater(row.body)
    ? showing.masks.filter(({ hidden }) => hidden !== undefined)
    : showing.masks
  return { ...wire, ...(masks.length === 0 ? {} : { masks }), ...(rest.length === 0 ? {} : { rest }) }
}

const shownAs = (row: PromptRow, showing: Showing, isDeciding: boolean): PendingPrompt =>
  row.kind === 'approval' ? approvalToWire(row, row.body, showing) : questionToWire(row, row.body, showing, isDeciding)

function approvalToWire (row: PromptRow, ask: ApprovalAsk, showing: Showing): Static<typeof PendingApproval> {
  const { description, patternKey, patternKeys, maxScope, timeoutS, content, foresight, budget } = ask
  const { command } = longTextsOf(ask)
  return {
    approval_id: row.id,
    session_id: row.sessionId,
    command: showing.text('command', command, { mostChars: mostShownChars.command }).text,
    description: showing.text('description', description + restInWords(ask)).text,
    ...reasonsToWire(ask, showing),
    pattern_key: showing.pieces([patternKey], '')[0] ?? '',
    pattern_keys: showing.pieces(patternKeys, '\n'),
    max_scope: maxScope,
    ...contentToWire(content, showing),
    ...foresightToWire(foresight, showing),
    ...(budget === undefined
      ? {}
      : { budget: budget.map(({ scope, measure, used, limit, upTo }) => ({ scope, measure, used, limit, up_to: upTo })) }),
    requested_at: row.createdAt,
    timeout_seconds: timeoutS,
    expires_at: row.expiresAt ?? 0
  }
}

/** Returns the keys for a file's text. */
function contentToWire (content: ApprovalAsk['content'], showing: Showing): { content?: string, content_truncated?: boolean } {
  if (content === undefined) return {}
  const { text, isCut } = showing.text('content', content.text, { mostChars: mostShownChars.content })
  return { content: text, content_truncated: content.isCut || isCut }
}

function questionToWire (
  row: PromptRow, { question, choices, timeoutS, form, link }: ClarifyAsk, showing: Showing, isDeciding: boolean
): Static<typeof PendingClarification> {
  return {
    clarify_id: row.id,
    session_id: row.sessionId,
    question: showing.text('question', question).text,
    choices_offered: choices.map((choice) => choiceToWire(choice, showing)),
    kind: choices.length > 0 ? 'choice' : 'open',
    ...(form === undefined ? {} : { form: formToWire(form, showing) }),
    ...(link === undefined ? {} : { link: { host: link.host, url: isDeciding ? link.url : null } }),
    requested_at: row.createdAt,
    timeout_seconds: timeoutS,
    expires_at: timeoutS === 0 ? 0 : row.expiresAt
  }
}

function formToWire ({ message, fields }: Form, showing: Showing): NonNullable<Static<typeof PendingClarification>['form']> {
  const see = (text: string): string => choiceToWire(text, showing)
  return {
    message: see(message),
    fields: fields.map(({ title, description, options, default: usual, ...field }) => ({
      ...field,
      title: see(title),
      description: see(description),
      ...(options === undefined ? {} : { options: options.map((option) => ({ value: see(option.value), title: see(option.title) })) }),
      ...defaultToWire(usual, options !== undefined, see)
    }))
  }
}

/** A default that is shown differently would be sent back in that form, so it is left out. */
function defaultToWire (usual: FormValue | undefined, isChosen: boolean, see: (text: string) => string): { default?: FormValue } {
  if (usual === undefined || (typeof usual === 'string' && !isChosen && see(usual) !== usual)) return {}
  return { default: typeof usual === 'string' ? see(usual) : Array.isArray(usual) ? usual.map(see) : usual }
}

const choiceToWire = (choice: string, showing: Showing): string => showing.pieces([choice], '')[0] ?? ''

/** Returns a choice in every form in which a reader may have seen it. */
export const choiceAsShown = (choice: string): string[] =>
  [cardShowing(seeQuestion), maskedShowing(seeQuestion), plainShowing(seeQuestion)].map((showing) => choiceToWire(choice, showing))

export function inOverview (prompt: PendingPrompt, session: { session_title: string, profile: string }): OpenPrompt {
  return 'approval_id' in prompt ? { type: 'approval', ...session, ...prompt } : { type: 'clarify', ...session, ...prompt }
}
