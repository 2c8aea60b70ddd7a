/** Something that is wrong. Findings of the same `kind` and place are counted, and the first few are shown. */
interface Finding {
  /** What is broken, for example `pause` or `undeclared answer`. */
  kind: string
  /** Where it is broken: a route, or a part and its property. */
  place: string
  text: string
  /** How to reproduce it: a request, or a counterexample. */
  cause: string
}

const shownOfEach = 2
const shownChars = 1_500

export interface Findings {
  add (finding: Finding): void
  readonly count: number
  /** Returns a paragraph for each kind and place. */
  paragraphs (): string[]
}

export function createFindings (tell: (text: string) => void = () => {}): Findings {
  const found = new Map<string, Finding[]>()
  return {
    add (finding) {
      const key = `${finding.kind}, ${finding.place}`
      const before = found.get(key)
      if (before === undefined) tell(`! ${key}: ${finding.text.slice(0, 300)}`)
      found.set(key, [...before ?? [], finding])
    },
    get count () { return found.size },
    paragraphs: () => [...found].map(([key, all]) => [
      `! ${key}${all.length === 1 ? '' : ` (${all.length} times)`}`,
      ...all.slice(0, shownOfEach).flatMap(({ text, cause }) => [
        `    ${text.slice(0, shownChars)}`, `    by ${cause.length > shownChars ? `${cause.slice(0, shownChars)}…` : cause}`
      ])
    ].join('\n'))
  }
}
