import { type AgentRuntime } from '../../agent/index.js'
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
  /** There is nothing left to answer. */
  | { outcome: 'stale' }
  /** The click meant an older approval than the one that is open now, which it must not resolve. */
  | { outcome: 'other_pending' }

export interface AnswersOptions {
  agent: Pick<AgentRuntime, 'control'>
  audit: AuditPort
  rows: PromptRows
  cards: PromptCards
  delivery: AnswerDelivery
  /** Keeps a permanent grant with the profile; on disk when it resolves. */
  allowAlways: (profile: string, patternKeys: string[]) => Promise<void>
  /** An approval was allowed; inside the transaction that keeps the answer. */
  allowed: (ask: ApprovalAsk, choice: Exclude<ApprovalChoice, 'deny'>) => void
}

/** The words of an answer, the values of a form by the names of its fields, or null: the form is declined. */
export type QuestionResponse = string | Record<string, unknown> | null

const maxAnswerBytes = 64 * 1024
const mostRecordedChars = 2_000

/** What people answer: which card it is for, and what follows from it once the run has it. */
export class PromptAnswers {
  constructor (readonly options: AnswersOptions) {}

  /**
   * Without an id, the approval that is on top is meant. What it allows for the session holds in every run that asks there,
   * `live` among them, from when this resolves.
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
   * `response` null: the form is declined. Throws Invalid for an answer that is too long or does not fit
   * the form, and Conflict with `stale: true` when the question is gone, answered, expired or another session's.
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

  /** What the audit log says of an answer, by whoever gives it now. */
  #entryOf (row: ApprovalRow, choice: ApprovalChoice): () => void {
    const ask = row.body
    const showing = maskedShowing(seeCall)
    return this.options.audit.entry('approval.answered', {
      session: row.sessionId, approval: row.id, choice,
      command: showing.text('command', longTextsOf(ask).command, { mostChars: mostRecordedChars }).text,
      pattern_keys: showing.pieces(ask.patternKeys, '\n')
    })
  }

  /** What the run is told: the words of an answer, or the values of a form as JSON. */
  #valueOf ({ choices, form }: ClarifyAsk, response: QuestionResponse): string {
    if (form === undefined) {
      if (typeof response !== 'string') throw new Invalid('This question has no form: response must be a text')
      return this.options.cards.chosen(choices, response)
    }
    if (response === null || (typeof response === 'string' && isDecline(response))) return declined
    return JSON.stringify(formValues(form, response, (value, given) => choiceAsShown(value).includes(given)))
  }

  /** A run that cannot be told any more asks once too often, or is over. */
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
