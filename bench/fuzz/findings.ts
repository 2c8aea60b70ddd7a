/** Something that is not as it has to be. Those of one `kind` and place are counted, and the first few are shown. */
interface Finding {
  /** What is broken, such as `pause` or `undeclared answer`. */
  kind: string
  /** Where: a route, or a part and its property. */
  place: string
  text: string
  /** What brings it about again: a request, or a counterexample. */
  cause: string
}

const shownOfEach = 2
const shownChars = 1_500

export interface Findings {
  add (finding: Finding): void
  readonly count: number
  /** A paragraph for each kind and place. */
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
