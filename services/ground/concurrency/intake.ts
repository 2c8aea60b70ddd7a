/** Resolves when the caller may continue. `isPatient`: others go first. */
export type Intake = (how?: { isPatient?: boolean }) => Promise<void>

/** Lets at most `most` callers continue in each pass of the event loop, in order of arrival. All other work runs in between. */
export function createIntake (most: number): Intake {
  const waiting: Array<() => void> = []
  const patient: Array<() => void> = []
  const admit = (): void => {
    const next = waiting.splice(0, most)
    for (const enter of [...next, ...patient.splice(0, most - next.length)]) enter()
    if (waiting.length + patient.length > 0) setImmediate(admit)
  }
  return async ({ isPatient = false } = {}) => await new Promise((resolve) => {
    (isPatient ? patient : waiting).push(resolve)
    if (waiting.length + patient.length === 1) setImmediate(admit)
  })
}
