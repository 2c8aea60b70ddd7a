/**
 * Returns a signal that aborts after `limitMs` with a TimeoutError, or as soon as one of `signals` does. `AbortSignal.any` with
 * `AbortSignal.timeout` cannot be used for this: it does not keep the timeout from being garbage-collected, and then it never fires. The
 * timer does not keep the process alive; `clear` ends it early.
 */
export function timeLimit (limitMs: number, signals: AbortSignal[] = []): { signal: AbortSignal, clear: () => void } {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new DOMException('The time limit was reached', 'TimeoutError')), limitMs)
  timer.unref()
  return { signal: AbortSignal.any([controller.signal, ...signals]), clear: () => clearTimeout(timer) }
}
