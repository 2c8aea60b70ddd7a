import { type Static } from '@sinclair/typebox'
import { type DiagnosticsReport } from '../../../schemas/diagnostics.js'
import { epochSeconds, monotonicMs, type Clock } from '../../ground/time/clock.js'
import { programVersion } from '../../ground/database/index.js'
import { type Check } from './check.js'
import { runChecks, worstOf } from './running.js'
import { type Tidy } from './texts.js'

type Report = Static<typeof DiagnosticsReport>

/** `thorough`: also asks models for a word, and starts agents. */
interface CheckScope { profile: string, thorough: boolean }

export interface DiagnosticsOptions {
  checks: (wanted: CheckScope) => readonly Check[]
  tidy: Tidy
  clock: Clock
}

/** Finds what is wrong with the service and its machine. */
export function createDiagnostics ({ checks, tidy, clock }: DiagnosticsOptions) {
  const running = new Map<string, Promise<Report>>()

  async function run (wanted: CheckScope): Promise<Report> {
    const [at, startedMs] = [epochSeconds(clock), monotonicMs(clock)]
    const lines = await runChecks(checks(wanted), tidy)
    return { status: worstOf(lines), version: programVersion, at, took_ms: Math.round(monotonicMs(clock) - startedMs), checks: lines }
  }

  return {
    /** Runs all checks. Requests for the same report while it runs share it. Never rejects. */
    async report (wanted: CheckScope): Promise<Report> {
      const key = JSON.stringify(wanted)
      const same = running.get(key)
      if (same !== undefined) return await same
      const report = run(wanted).finally(() => running.delete(key))
      running.set(key, report)
      return await report
    }
  }
}

export type Diagnostics = ReturnType<typeof createDiagnostics>
