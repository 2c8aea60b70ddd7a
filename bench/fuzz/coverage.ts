import { declaredCodes, type OpenApi, type Operation } from './document.js'
import { unprovoked } from './unprovoked.js'

/** What was reached, in figures. */
export interface Reached {
  routes: number
  /** Routes that have answered with a status below 400. */
  well: number
  /** Pairs of a route and a sender. */
  pairs: number
  codes: string[]
  declaredCodes: number
  /** Answers above 500, by `503 GET /api/x`. */
  above500: Record<string, number>
}

/** Records what was reached: for each operation the classes of its answers' statuses (2xx, 4xx, …), and the codes of errors. */
export function createCoverage (document: OpenApi, operations: Operation[]) {
  const reached = new Map(operations.map(({ name }) => [name, new Map<string, number>()]))
  const codes = new Map<string, number>()
  const declared = declaredCodes(document, operations)
  const pairs = new Set<string>()
  const above500 = new Map<string, number>()
  const withClass = (outcome: string): number => [...reached.values()].filter((outcomes) => outcomes.has(outcome)).length
  return {
    note (operation: Operation, outcome: string, code: string | null): void {
      const outcomes = reached.get(operation.name)
      outcomes?.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      if (code !== null) codes.set(code, (codes.get(code) ?? 0) + 1)
    },
    /** Notes who was answered, and with which status. */
    noteAnswer ({ name }: Operation, scope: string | null, status: number): void {
      pairs.add(`${scope ?? 'nobody'} ${name}`)
      if (status > 500) above500.set(`${status} ${name}`, (above500.get(`${status} ${name}`) ?? 0) + 1)
    },
    /** Returns the figures for the page. */
    reached: (): Reached => ({
      routes: operations.length, pairs: pairs.size, codes: [...codes.keys()].filter((code) => declared.has(code)).toSorted(),
      well: [...reached.values()].filter((outcomes) => outcomes.has('2xx') || outcomes.has('3xx')).length,
      declaredCodes: declared.size, above500: Object.fromEntries(above500)
    }),
    lines (): string[] {
      const classes = [...new Set([...reached.values()].flatMap((outcomes) => [...outcomes.keys()]))].toSorted()
      const never = [...reached].filter(([, outcomes]) => !outcomes.has('2xx') && !outcomes.has('3xx')).map(([name]) => name)
      const unmet = [...declared].filter((code) => !codes.has(code)).toSorted()
      return [
        `${operations.length} routes reached, by classes of answers: ${classes.map((each) => `${each} ${withClass(each)}`).join(', ')}`,
        `${pairs.size} of ${operations.length * 6} pairs of a route and a sender`,
        `${declared.size - unmet.length} of ${declared.size} codes of errors reached`,
        ...saying('never answered with success', never),
        ...above500.size === 0
          ? []
          : [`above 500, as declared: ${[...above500].map(([key, count]) => `${key} (${count})`).join(', ')}`],
        ...saying('codes not met', unmet.filter((code) => unprovoked[code] === undefined)),
        ...saying('codes that only tests meet', unmet.filter((code) => unprovoked[code] !== undefined))
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

const saying = (what: string, names: readonly string[]): string[] => names.length === 0 ? [] : [`${what}: ${names.join(', ')}`]

export type Coverage = ReturnType<typeof createCoverage>
