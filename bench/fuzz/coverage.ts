import { declaredCodes, type OpenApi, type Operation } from './document.js'

/** Records what was reached: for each operation the classes of its answers' statuses (2xx, 4xx, …), and the codes of errors. */
export function createCoverage (document: OpenApi, operations: Operation[]) {
  const reached = new Map(operations.map(({ name }) => [name, new Map<string, number>()]))
  const codes = new Map<string, number>()
  const declared = declaredCodes(document, operations)
  const withClass = (outcome: string): number => [...reached.values()].filter((outcomes) => outcomes.has(outcome)).length
  return {
    note (operation: Operation, outcome: string, code: string | null): void {
      const outcomes = reached.get(operation.name)
      outcomes?.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      if (code !== null) codes.set(code, (codes.get(code) ?? 0) + 1)
    },
    lines (): string[] {
      const classes = [...new Set([...reached.values()].flatMap((outcomes) => [...outcomes.keys()]))].toSorted()
      const never = [...reached].filter(([, outcomes]) => !outcomes.has('2xx') && !outcomes.has('3xx')).map(([name]) => name)
      const unmet = [...declared].filter((code) => !codes.has(code)).toSorted()
      return [
        `${operations.length} routes reached, by classes of answers: ${classes.map((each) => `${each} ${withClass(each)}`).join(', ')}`,
        `${declared.size - unmet.length} of ${declared.size} codes of errors reached`,
        ...never.length === 0 ? [] : [`never well: ${never.join(', ')}`],
        ...unmet.length === 0 ? [] : [`codes never met: ${unmet.join(', ')}`]
      ]
    },
    /** How often an operation was answered with a status below 400. */
    wellOf: ({ name }: Operation): number => (reached.get(name)?.get('2xx') ?? 0) + (reached.get(name)?.get('3xx') ?? 0),
    /** Returns the share of such answers among all answers. */
    wellShare (): number {
      const all = [...reached.values()].flatMap((outcomes) => [...outcomes])
      const sum = (only: (outcome: string) => boolean): number =>
        all.filter(([outcome]) => only(outcome)).reduce((total, [, count]) => total + count, 0)
      return sum((outcome) => /^[23]/.test(outcome)) / Math.max(1, sum(() => true))
    }
  }
}
export type Coverage = ReturnType<typeof createCoverage>
