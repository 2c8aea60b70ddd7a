import { type SmallTaskInput, type SmallTaskResult } from '../../agent/index.js'
import { type Tell } from '../chat/index.js'
import { type NewFrame } from '../../ground/events/index.js'
import { type Log } from '../../ground/log.js'

export type GoalVerdict = SmallTaskResult<'judge'>

export interface JudgingOptions {
  judge: (sessionId: string, input: SmallTaskInput<'judge'>) => Promise<GoalVerdict | null>
  /** Changes when another turn begins in the session. */
  turnOf: (sessionId: string) => number | undefined
  log: Log
}

/** A turn to be judged. Both writes return the frames that belong to their rows, and may be called twice. */
export interface JudgedTurn {
  sessionId: string
  input: SmallTaskInput<'judge'>
  tell: Tell
  asked: () => NewFrame[]
  /** Called with null if there was no answer, with `overtaken` if another turn has begun meanwhile. */
  decided: (verdict: GoalVerdict | null | 'overtaken') => NewFrame[]
  /** Called if the verdict came after the last frame of the stream. */
  streamEnded: () => void
}

interface Open { tell: Tell, dismiss: () => void, streamEnded: boolean }

/** Runs the small task `judge`, at most once at a time for each session, and makes a late verdict harmless. */
export function createJudging ({ judge, turnOf, log }: JudgingOptions) {
  const open = new Map<string, Open>()
  let stopped = false

  return {
    /** Resolves when everything has been told: with the verdict, or when the turn is dismissed. */
    async decide ({ sessionId, input, tell, asked, decided, streamEnded }: JudgedTurn): Promise<void> {
      const self: Open = { tell, dismiss: () => {}, streamEnded: false }
      const dismissed = new Promise<'dismissed'>((resolve) => { self.dismiss = () => resolve('dismissed') })
      const turn = turnOf(sessionId)
      open.set(sessionId, self)
      try {
        tell(asked)
        const verdict = await Promise.race([dismissed, judge(sessionId, input).catch((error: unknown) => {
          log('the judge of a goal failed', { sessionId, reason: String(error) })
          return null
        })])
        if (verdict === 'dismissed' || stopped) return
        tell(() => decided(turnOf(sessionId) === turn ? verdict : 'overtaken'))
        if (self.streamEnded) streamEnded()
      } finally {
        if (open.get(sessionId) === self) open.delete(sessionId)
      }
    },

    /** Discards the pending verdict; `write` returns what is told instead. */
    dismiss (sessionId: string, write: () => NewFrame[]): void {
      const judging = open.get(sessionId)
      open.delete(sessionId)
      judging?.tell(write)
      judging?.dismiss()
    },

    /** Called when the stream of a turn has ended. Returns false if no turn is being judged, so that everything has been told. */
    streamEnded (sessionId: string): boolean {
      const judging = open.get(sessionId)
      if (judging !== undefined) judging.streamEnded = true
      return judging !== undefined
    },

    size: (): number => open.size,
    stop (): void { stopped = true }
  }
}
