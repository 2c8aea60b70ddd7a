import { codeOf } from '../../ground/errors.js'
import { timeLimit } from '../../ground/time/time-limit.js'
import { visible } from '../../ground/text/visible.js'
import { problem, type Check, type Finding, type Line } from './check.js'
import { type Tidy } from './texts.js'

const atOnce = 6
const usualLimitMs = 5_000

/** Runs checks, at most six at once, and returns their findings in the order of the checks. Never rejects. */
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

/** Returns the status of the worst check. */
export function worstOf (lines: ReadonlyArray<Pick<Line, 'status'>>): 'ok' | 'warning' | 'error' {
  const has = (wanted: Line['status']): boolean => lines.some(({ status }) => status === wanted)
  return has('error') ? 'error' : has('warning') ? 'warning' : 'ok'
}

async function linesOf (check: Check, tidy: Tidy): Promise<Line[]> {
  const { id, group, title } = check
  const text = (found: string): string => visible(tidy.text(found))
  return [await outcome(check)].flat().map(({ about = null, status, message, fix, code = null, values }) => ({
    id, group, title: visible(title), about: about === null ? null : text(about), status, message: text(message),
    fix: fix === null ? null : visible(tidy.fix(fix)), code,
    ...values === undefined ? {} : { values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, text(value)])) }
  }))
}

/** Checks that were abandoned and have not ended: each occupies a thread that waits for the system, and there are few threads. */
const hanging = new Set<string>()
const hangs = 'If this repeats, a disk or a program of this machine hangs.'

async function outcome ({ id, run, limitMs = usualLimitMs }: Check): Promise<Finding | Finding[]> {
  if (hanging.has(id)) return problem('An earlier run of the check still hangs.', `Check again in a few minutes. ${hangs}`)
  const { signal, clear } = timeLimit(limitMs)
  // A check that still runs after the limit may fail later; that failure is ignored.
  const running = Promise.resolve().then(() => run(signal))
  const late = new Promise<Finding>((resolve) => {
    signal.addEventListener('abort', () => {
      hanging.add(id)
      const settled = (): void => { hanging.delete(id) }
      void running.then(settled, settled)
      resolve(problem(`The check did not end within ${limitMs / 1_000} s.`, `Check again. ${hangs}`))
    })
  })
  try {
    return await Promise.race([running, late])
  } catch (error) {
    // The message of an unknown error may contain anything.
    return problem(`The check failed: ${codeOf(error) ?? 'unknown error'}.`, 'Look at the log of the service, and report this as a bug.')
  } finally {
    clear()
  }
}
