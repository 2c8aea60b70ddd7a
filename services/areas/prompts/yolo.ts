import { type AgentRuntime } from '../../agent/index.js'
import { type AuditPort } from '../audit/index.js'
import { Conflict, RelayFailed } from '../../ground/errors.js'

/** An active run whose prompts a session shows. */
export interface LiveRun { profile: string, runId: string }

/** Sessions that run everything without asking. In memory only: after a restart they ask again. */
export class Yolo {
  readonly #sessions = new Set<string>()

  /** @param denyForbidden denies what these runs ask for and a newer rule denies */
  constructor (
    readonly agent: Pick<AgentRuntime, 'control'>, readonly audit: AuditPort,
    readonly denyForbidden: (live: readonly LiveRun[]) => Promise<void>
  ) {}

  isOn (sessionId: string): boolean {
    return this.#sessions.has(sessionId)
  }

  forget (sessionId: string): void {
    this.#sessions.delete(sessionId)
  }

  /**
   * Switches the mode, which also resolves pending approvals. If a live run cannot be told, nothing is switched and the error is thrown.
   */
  async set (sessionId: string, on: boolean, live: LiveRun[]): Promise<void> {
    if (on) await this.denyForbidden(live)
    const before = this.isOn(sessionId)
    // First, so that a run that starts meanwhile begins with the new mode.
    this.#toggle(sessionId, on)
    const told: LiveRun[] = []
    for (const { profile, runId } of live) {
      // A run that has ended meanwhile need not be told.
      const ack = await this.agent.control(profile, { op: 'yolo', runId, on }).catch((error: unknown) => {
        return error instanceof Conflict ? null : { result: 'error' as const }
      })
      if (ack?.result === 'error') {
        this.#toggle(sessionId, before)
        await Promise.allSettled(told.map((run) => this.agent.control(run.profile, { op: 'yolo', runId: run.runId, on: before })))
        throw new RelayFailed('A running turn could not be informed, so yolo is unchanged. What was already allowed stays allowed')
      }
      told.push({ profile, runId })
    }
    if (on !== before) this.audit.soonest('yolo.switched', { session: sessionId, on })
  }

  #toggle (sessionId: string, on: boolean): void {
    if (on) this.#sessions.add(sessionId)
    else this.#sessions.delete(sessionId)
  }
}
