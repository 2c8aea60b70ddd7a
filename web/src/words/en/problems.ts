import { type SentenceType } from '../../core/turn/problem-sentence.js'

/** Names a turn's problem by its type. `next` is null in English: the service's own hint says it better. */
interface ProblemTexts {
  label: Readonly<Record<ProblemType, string>>
  /** A label that a sentence follows. */
  labelled: (label: string) => string
  next: Readonly<Record<ProblemType, string>> | null
  /** The service's sentences about a provider. Null in English: they are shown as they come. */
  said: Readonly<Record<SentenceType, (provider: string, model: string) => string>> | null
  /** Why an answer is incomplete. */
  cut: Readonly<Record<'length' | 'content_filter' | 'budget_exhausted' | 'other', string>>
  goOn: string
  toModels: string
  toAgents: string
}

type ProblemType =
  | 'rate_limit' | 'quota_exhausted' | 'auth_mismatch' | 'model_not_found' | 'mode_not_allowed' | 'no_response' | 'answer_too_large'
  | 'compression_exhausted' | 'format_missed' | 'unsupported' | 'interrupted' | 'cancelled' | 'error'

export const problems: ProblemTexts = {
  cut: {
    length: 'The answer reached its maximum length.',
    content_filter: 'The provider cut this answer off. Ask in other words, or choose another model.',
    budget_exhausted: 'The budget is used up. Send “continue” to be asked again, or change it in Usage.',
    other: 'The answer is incomplete.'
  },
  goOn: 'Continue',
  toModels: 'Check it in Models',
  toAgents: 'Check it in Settings, Permissions',
  labelled: (label) => `${label}.`,
  label: {
    rate_limit: 'Rate limit',
    quota_exhausted: 'Quota used up',
    auth_mismatch: 'Not accepted',
    model_not_found: 'Model not found',
    mode_not_allowed: 'Not allowed',
    no_response: 'No answer',
    answer_too_large: 'Answer too long',
    compression_exhausted: 'Chat too long',
    format_missed: 'Wrong format',
    unsupported: 'Not supported',
    interrupted: 'Interrupted',
    cancelled: 'Stopped',
    error: 'Error'
  },
  said: null,
  next: null
}
