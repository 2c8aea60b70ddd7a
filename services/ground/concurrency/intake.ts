/** Resolves when the caller may continue. */
export type Intake = () => Promise<void>

/** Lets at most `most` callers continue in each pass of the event loop, in order of arrival. All other work runs in between. */
export function createIntake (most: number): Intake {
  const waiting: Array<() => void> = []
  const admit = (): void => {
    for (const enter of waiting.splice(0, most)) enter()
    if (waiting.length > 0) setImmediate(admit)
  }
  return async () => await new Promise((resolve) => { if (waiting.push(resolve) === 1) setImmediate(admit) })
}
