import { computed, signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError, type Api, type Wire } from '../service/api.js'
import { type Link } from '../service/link.js'

export type Approval = Wire<'PendingApproval'>
export type Question = Wire<'PendingClarification'>
/** A text, the values of a form, or a refusal. */
export type QuestionAnswer = { response: string | Record<string, string | number | boolean | string[]> } | { decline: true }
export type Choice = 'once' | 'session' | 'always' | 'deny'

/** A prompt that waits for the person, with its session. */
export type Waiting = {
  /** The id of the prompt. */
  id: string
  sessionId: string
  sessionTitle: string
  profile: string | null
  requestedAtS: number
  /** 0: never. */
  expiresAtS: number
} & ({ kind: 'approval', prompt: Approval } | { kind: 'question', prompt: Question })

/** The outcome of an answer; `late`: the prompt had already been answered or closed. */
export type Answered = 'taken' | 'late'

export interface Prompts {
  /** All waiting prompts of all sessions, the oldest first. */
  readonly waiting: ReadonlySignal<readonly Waiting[]>
  /** The prompts of one session, in the order in which they are answered. */
  of: (sessionId: string) => readonly Waiting[]
  /** The ids of prompts whose answer is being sent. */
  readonly answering: ReadonlySignal<ReadonlySet<string>>
  /** Answers an approval. Throws ApiError if the answer was not sent; the card stays. */
  decide: (approval: Waiting & { kind: 'approval' }, choice: Choice) => Promise<Answered>
  /** Answers a question. Throws ApiError if the answer was not sent; the card stays. */
  answer: (question: Waiting & { kind: 'question' }, answer: QuestionAnswer) => Promise<Answered>
}

type PromptsFrame = Wire<'FeedEvent'> & { event: 'prompts' }
type Told = PromptsFrame['data']

/** How far each choice reaches; a larger number reaches further. */
const reach: Readonly<Record<string, number>> = { once: 0, session: 1, always: 2 }

/** Whether a choice may be offered. The service treats one wider than permitted as the widest permitted. */
export const isOffered = (approval: Approval, choice: Choice): boolean =>
  choice === 'deny' || (reach[choice] ?? Infinity) <= (reach[approval.max_scope] ?? 0)

/**
 * The waiting prompts of all sessions, updated by the feed. An answer removes its card at once on this device, and within a second on
 * others.
 */
export function createPrompts ({ api, link }: { api: Api, link: Link }): Prompts {
  const told = signal<ReadonlyMap<string, Told>>(new Map())
  /** Prompts answered here, so that a late frame does not show them again. */
  const answered = signal<ReadonlySet<string>>(new Set())
  const answering = signal<ReadonlySet<string>>(new Set())

  link.onFrame((frame) => {
    if (frame.event === 'snapshot') told.value = new Map(frame.data.prompts.map((one) => [keyOf(one), one]))
    else if (frame.event === 'prompts') {
      const next = new Map(told.value)
      if (frame.data.data.pending === null) next.delete(keyOf(frame.data))
      else next.set(keyOf(frame.data), frame.data)
      told.value = next
    } else return
    const left = new Set([...told.value.values()].flatMap(waitingIn).map(({ id }) => id))
    answered.value = new Set([...answered.value].filter((id) => left.has(id)))
  })

  const waiting = computed(() => [...told.value.values()].flatMap(waitingIn)
    .filter(({ id }) => !answered.value.has(id)).toSorted((a, b) => a.requestedAtS - b.requestedAtS))

  async function send (id: string, post: () => Promise<Answered>): Promise<Answered> {
    answering.value = new Set([...answering.value, id])
    try {
      const outcome = await post()
      answered.value = new Set([...answered.value, id])
      return outcome
    } finally {
      answering.value = new Set([...answering.value].filter((one) => one !== id))
    }
  }

  return {
    waiting,
    answering,
    of: (sessionId) => waiting.value.filter((one) => one.sessionId === sessionId),
    decide: async ({ id, sessionId }, choice) => await send(id, async () => {
      const { ok, stale_cleared: isStale } = await api.post('/api/approval/respond', { session_id: sessionId, approval_id: id, choice })
      return ok && isStale !== true ? 'taken' : 'late'
    }),
    answer: async ({ id, sessionId }, answer) => await send(id, async () => {
      try {
        await api.post('/api/clarify/respond', { session_id: sessionId, clarify_id: id, ...answer })
        return 'taken'
      } catch (error) {
        if (error instanceof ApiError && error.status === 409 && error.body.stale === true) return 'late'
        throw error
      }
    })
  }
}

const keyOf = ({ session_id: id, event }: Told): string => `${event} ${id}`

function waitingIn ({ session_title: title, session_id: sessionId, profile, data, waiting }: Told): Waiting[] {
  return [data.pending, ...waiting].filter((one) => one !== null).map((prompt) => {
    const common = { sessionId, sessionTitle: title ?? '', profile, requestedAtS: prompt.requested_at, expiresAtS: prompt.expires_at ?? 0 }
    return 'approval_id' in prompt
      ? { ...common, kind: 'approval', id: prompt.approval_id, prompt }
      : { ...common, kind: 'question', id: prompt.clarify_id, prompt }
  })
}
