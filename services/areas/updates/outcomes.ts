import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { endUpdate, readJournal, type Outcome } from './journal.js'
import { type Log } from '../../ground/log.js'

export interface OutcomesOptions {
  stateDir: string
  clock: Clock
  log: Log
}

/** Stores how the last update ended in the journal, because clients ask after the restart. */
export const createOutcomes = ({ stateDir, clock, log }: OutcomesOptions) => ({
  last: (): Outcome | null => readJournal(stateDir).last,

  /** Stores how an update ended, which also ends it. Never throws. */
  keep (outcome: Omit<Outcome, 'finishedAtS'>): void {
    const error = endUpdate(stateDir, { ...outcome, finishedAtS: epochSeconds(clock) })
    if (error !== null) log('the result of an update could not be stored', { reason: String(error) })
  }
})
