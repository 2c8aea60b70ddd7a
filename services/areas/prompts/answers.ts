import { denialOf, type AgentRuntime } from '../../agent/index.js'
import { declined, type ApprovalAsk, type ApprovalChoice, type ClarifyAsk } from '../../agent/protocol.js'
import { type AuditPort } from '../audit/index.js'
import { Conflict, Invalid } from '../../ground/errors.js'
import { formValues, isDecline } from '../../ground/form.js'
import { type PromptCards } from './cards.js'
import { type AnswerDelivery, type Delivered } from './delivery.js'
import { isOpen, type ApprovalRow, type PromptRows, type QuestionRow } from './rows.js'
import { maskedShowing } from './showing.js'
import { longTextsOf, seeCall } from './texts.js'
import { choiceAsShown } from './wire.js'
import { type LiveRun } from './yolo.js'

export type ApprovalAnswer =
  | { outcome: 'resolved', relayed?: true }
  /** Nothing is left to answer. */
  | { outcome: 'stale' }
  /** The answer was meant for an older approval than the open one, which it must not resolve. */
  | { outcome: 'other_pending' }

export interface AnswersOptions {
  agent: Pick<AgentRuntime, 'control'>
  audit: AuditPort
  rows: PromptRows
  cards: PromptCards
  delivery: AnswerDelivery
  /** Returns the pattern keys that a profile always refuses now. */
  deniedIn: (profile: string) => readonly string[]
  /** Stores a permanent grant with the profile; on disk when it resolves. */
  allowAlways: (profile: string, patternKeys: string[]) => Promise<void>
  /** Called when an approval was allowed, inside the transaction that stores the answer. */
  allowed: (ask: ApprovalAsk, choice: Exclude<ApprovalChoice, 'deny'>) => void
}

/** The text of an answer, the values of a form by the names of its fields, or null if the form is declined. */
export type QuestionResponse = string | Record<string, unknown> | null

const maxAnswerBytes = 64 * 1024
const mostRecordedChars = 2_000

/** Processes answers of people: finds the prompt, and applies the consequences once the run has the answer. */
export class PromptAnswers {
  constructor (readonly options: AnswersOptions) {}

  /**
   * Answers an approval; without an id the one on top. A grant for the session applies to every run that asks there, including `live`, when
   * this resolves. Throws Conflict if a rule that is newer than the turn denies what would be allowed: the run does not know it.
   */
  async approval (
    sessionId: string, choice: ApprovalChoice, approvalId?: string, live: () => LiveRun[] = () => []
  ): Promise<ApprovalAnswer> {
    const { rows, delivery, allowAlways } = this.options
    const head = rows.head(sessionId, 'approval')
    const row = approvalId === undefined ? head : rows.find(approvalId)
    const profile = rows.profileOf(sessionId)
    if (profile === undefined || row?.kind !== 'approval' || row.sessionId !== sessionId || !isOpen(row)) {
      return { outcome: head === undefined ? 'stale' : 'other_pending' }
    }
    if (choice !== 'deny') this.#assertNotDenied(profile, row)
    const record = this.#entryOf(row, choice)
    const delivered = await delivery.answer(row, choice, () => {
      record()
      this.#grantForSession(row, choice)
      if (choice !== 'deny') this.options.allowed(row.body, choice)
    })
    if (delivered?.outcome !== 'taken') return { outcome: 'stale' }
    await this.#grantLive(row, choice, live())
    if (choice === 'always' && row.body.maxScope === 'always') await allowAlways(profile, row.body.patternKeys)
    return { outcome: 'resolved', ...relayedBy(delivered) }
  }

  /**
   * Answers a question; `response` null declines the form. Throws Invalid for an answer that is too long or does not fit the form, and
   * Conflict with `stale: true` when the question is gone, answered, expired or of another session.
   */
  async question (sessionId: string, response: QuestionResponse, clarifyId?: string): Promise<{ relayed?: true }> {
    const { rows } = this.options
    if (Buffer.byteLength(typeof response === 'string' ? response : JSON.stringify(response)) > maxAnswerBytes) {
      throw new Invalid('response is too long: at most 64 KiB')
    }
    const row = clarifyId === undefined ? rows.head(sessionId, 'clarify') : rows.find(clarifyId)
    const isAsked = row?.kind === 'clarify' && row.sessionId === sessionId && isOpen(row)
    const delivered = isAsked ? await this.#answerQuestion(row, response) : null
    if (delivered?.outcome !== 'taken') throw staleQuestion()
    return relayedBy(delivered)
  }

  async #answerQuestion (row: QuestionRow, response: QuestionResponse): Promise<Delivered | null> {
    const ask = row.body
    const value = this.#valueOf(ask, response)
    const record = this.options.audit.entry('question.answered', {
      session: row.sessionId, question_id: row.id, question: maskedShowing().text('question', ask.question).text, declined: value === declined
    })
    return await this.options.delivery.answer(row, value, record)
  }

  /** Denies what these runs ask for and a newer rule denies, because yolo would allow it. Throws Conflict and RelayFailed. */
  async denyForbidden (live: readonly LiveRun[]): Promise<void> {
    const { rows, delivery } = this.options
    for (const { profile, runId } of live) {
      for (const row of rows.ofStream(runId)) {
        if (row.kind !== 'approval' || row.body.personal === true || this.#deniedKey(profile, row) === undefined) continue
        await delivery.answer(row, 'deny', this.#entryOf(row, 'deny'))
      }
    }
  }

  #assertNotDenied (profile: string, row: ApprovalRow): void {
    const key = this.#deniedKey(profile, row)
    if (key === undefined) return
    throw new Conflict(`The rules of this profile do not allow this any more (${key}). Deny it, or change approvals.deny first`, 'denied_by_rule')
  }

  #deniedKey (profile: string, { body: { patternKeys, tool } }: ApprovalRow): string | undefined {
    const denied = this.options.deniedIn(profile)
    return [...patternKeys, ...tool === undefined ? [] : [`tool:${tool}`]].find((candidate) => denialOf(candidate, denied) !== undefined)
  }

  /** Returns a function that records an answer in the audit log, as given by the current operator. */
  #entryOf (row: ApprovalRow, choice: ApprovalChoice): () => void {
    const ask = row.body
    const showing = maskedShowing(seeCall)
    return this.options.audit.entry('approval.answered', {
      session: row.sessionId, approval: row.id, choice,
      command: showing.text('command', longTextsOf(ask).command, { mostChars: mostRecordedChars }).text,
      pattern_keys: showing.pieces(ask.patternKeys, '\n')
    })
  }

  /** Returns the value for the run: the text of an answer, or the values of a form as JSON. */
  #valueOf ({ choices, form }: ClarifyAsk, response: QuestionResponse): string {
    if (form === undefined) {
      if (typeof response !== 'string') throw new Invalid('This question has no form: response must be a text')
      return this.options.cards.chosen(choices, response)
    }
    if (response === null || (typeof response === 'string' && isDecline(response))) return declined
    return JSON.stringify(formValues(form, response, (value, given) => choiceAsShown(value).includes(given)))
  }

  /** Errors are ignored: a run that could not be told asks once more, or has ended. */
  async #grantLive (row: ApprovalRow, choice: ApprovalChoice, live: LiveRun[]): Promise<void> {
    const { patternKeys } = row.body
    if (!isLasting(row, choice)) return
    await Promise.allSettled(live.filter(({ runId }) => runId !== row.streamId)
      .map(({ profile, runId }) => this.options.agent.control(profile, { op: 'grant', runId, patternKeys })))
  }

  #grantForSession (row: ApprovalRow, choice: ApprovalChoice): void {
    if (isLasting(row, choice)) this.options.rows.grant(row.sessionId, row.body.patternKeys)
  }
}

function isLasting (row: ApprovalRow, choice: ApprovalChoice): boolean {
  return (choice === 'session' || choice === 'always') && row.body.maxScope !== 'once'
}

function staleQuestion (): Conflict {
  return new Conflict('This question is no longer open', undefined, { ok: false, stale: true })
}

const relayedBy = ({ relayed }: Delivered): { relayed?: true } => relayed === true ? { relayed } : {}
