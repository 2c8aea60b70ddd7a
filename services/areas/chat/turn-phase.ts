/**
 * starting: no host has it yet. running: its host has it. ending: the answer stands, `done` waits for what belongs to it.
 * settling: `done` is out, the last frame waits. cancelling: the session is free, the run is still to stop.
 */
export type Phase = 'starting' | 'running' | 'ending' | 'settling' | 'cancelling' | 'closed'

export type LivePhase = Exclude<Phase, 'closed'>

const transitions: Record<Phase, readonly Phase[]> = {
  starting: ['running', 'cancelling', 'closed'],
  running: ['ending', 'cancelling', 'closed'],
  ending: ['settling', 'closed'],
  settling: ['closed'],
  cancelling: ['closed'],
  closed: []
}

/** Where a turn stands in this process. */
export class TurnPhase {
  #now: Phase = 'starting'

  get now (): Phase {
    return this.#now
  }

  is (...phases: Phase[]): boolean {
    return phases.includes(this.#now)
  }

  /** False when it is past that already. */
  enter (phase: Phase): boolean {
    if (!transitions[this.#now].includes(phase)) return false
    this.#now = phase
    return true
  }
}
