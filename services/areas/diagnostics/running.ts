import { codeOf } from '../../ground/errors.js'
import { timeLimit } from '../../ground/time-limit.js'
import { type Check, type Finding, type Line, problem } from './check.js'
import { type Tidy } from './texts.js'

const atOnce = 6
const usualLimitMs = 5_000

/** Runs checks, at most six at once, and answers what they found in their order. Never rejects. */
export async function runChecks (checks: readonly Check[], tidy: Tidy): Promise<Line[]> {
  const found: Line[][] = checks.map(() => [])
  let next = 0
  async function work (): Promise<void> {
    for (let index = next++; index < checks.length; index = next++) {
      const check = checks[index]
      if (check !== undefined) found[index] = await linesOf(check, tidy)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return found.flat()
}

/** Of the worst check. */
export function worstOf (lines: ReadonlyArray<Pick<Line, 'status'>>): 'ok' | 'warning' | 'error' {
  const has = (wanted: Line['status']): boolean => lines.some(({ status }) => status === wanted)
  return has('error') ? 'error' : has('warning') ? 'warning' : 'ok'
}

async function linesOf (check: Check, tidy: Tidy): Promise<Line[]> {
  const { id, group, title } = check
  return [await outcome(check)].flat().map(({ about = null, status, message, fix }) => ({
    id, group, title, about: about === null ? null : tidy(about), status, message: tidy(message), fix: fix === null ? null : tidy(fix)
  }))
}

async function outcome ({ run, limitMs = usualLimitMs }: Check): Promise<Finding | Finding[]> {
  const { signal, clear } = timeLimit(limitMs)
  const late = new Promise<Finding>((resolve) => {
    signal.addEventListener('abort', () => resolve(problem(
      `The check did not end within ${limitMs / 1_000} s.`, 'Check again. If this repeats, a disk or a program of this machine hangs.'
    )))
  })
  try {
    // Still running then, it may fail later, which nobody hears.
    const running = Promise.resolve().then(() => run(signal))
    return await Promise.race([running, late])
  } catch (error) {
    // What others throw may name anything.
    return problem(`The check failed: ${codeOf(error) ?? 'unknown error'}.`, 'Look at the log of the service, and report this as a bug.')
  } finally {
    clear()
  }
}
