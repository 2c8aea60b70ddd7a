import { type Inapplicable } from './conformance.js'

/** Returns the table of docs/development.md: what the suite asks and does not apply, by reason. */
export function conformanceTable (sides: Readonly<Record<string, Readonly<Record<string, Inapplicable>>>>): string {
  const rows = new Map<string, Set<string>>()
  for (const [side, revisions] of Object.entries(sides)) {
    for (const inapplicable of Object.values(revisions)) {
      for (const [scenario, reason] of Object.entries(inapplicable)) {
        const key = `| ${side} | ${reason} |`
        rows.set(key, (rows.get(key) ?? new Set()).add(`\`${scenario}\``))
      }
    }
  }
  const lines = [...rows].map(([key, scenarios]) => `${key} ${[...scenarios].toSorted().join(', ')} |`)
  return ['| As | Why it does not apply | Scenarios and checks |', '|---|---|---|', ...lines].join('\n')
}
